// SPDX-License-Identifier: GPL-2.0
#include "lib/print/figures.h"

static const char *quantile_text(const struct histogram *latency, int bucket,
				 char text[FIGURE_TEXT_SIZE])
{
	char *bound = text;

	if (bucket == (int)histogram_overflow(latency)) {
		*bound++ = '>';
		bucket--;
	}
	duration_text(histogram_le_ns(latency, bucket), bound);
	return text;
}

const char *figure_text(const struct histogram *latency, unsigned int permille,
			char text[FIGURE_TEXT_SIZE])
{
	if (!histogram_count(latency))
		return "-";
	if (permille == FIGURE_MEAN)
		return duration_text(histogram_mean_ns(latency), text);
	return quantile_text(latency, histogram_quantile(latency, permille), text);
}

const char *count_text(uint64_t count, char text[COUNT_TEXT_SIZE])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	double rest = count;
	int prefix = 0;

	for (; rest >= 999.5; prefix++)
		rest /= 1000;
	snprintf(text, COUNT_TEXT_SIZE, "%.3g%s", rest, prefixes[prefix]);
	return text;
}

int print_figure_names(FILE *out, const struct figure *figures, size_t nr)
{
	int length = 0;

	for (size_t i = 0; i < nr; i++)
		length += fprintf(out, " %*s", FIGURE_WIDTH - 1, figures[i].name);
	return length;
}

int print_figures(FILE *out, const struct histogram *latency, const struct figure *figures,
		  size_t nr)
{
	char text[FIGURE_TEXT_SIZE];
	int length = 0;

	for (size_t i = 0; i < nr; i++)
		length += fprintf(out, " %*s", FIGURE_WIDTH - 1,
				  figure_text(latency, figures[i].permille, text));
	return length;
}
