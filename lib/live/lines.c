// SPDX-License-Identifier: GPL-2.0
/* Lines below the panels: packets, or sentences, which are broken if they are too long. */
#include <string.h>

#include "lib/live/drawing.h"

/*
 * Returns how many bytes of a sentence, which is not empty, fit on a line: up to the last space, or
 * else as many as fit; all of them if not even one character fits.
 */
static size_t bytes_of_line(const char *text, int columns)
{
	size_t fitting = drawing_bytes_that_fit(text, columns), bytes = fitting;

	if (!fitting)
		return strlen(text);
	if (!text[fitting])
		return fitting;
	while (bytes && text[bytes] != ' ')
		bytes--;
	return bytes ? bytes : fitting;
}

/*
 * Draws sentences between two lines, with each one's further lines indented as its first is;
 * without a line, counts them. Returns the line behind the last.
 */
static int draw_sentences(const struct picture *picture, int y, int end)
{
	for (size_t i = 0; i < picture->nr_lines; i++) {
		const char *text = picture->lines[i];
		int indent = (int)strspn(text, " ");

		for (text += indent; *text; y++) {
			int room = COLS - indent;
			size_t bytes = bytes_of_line(text, room);

			if (y < end)
				mvaddnstr(y, indent, text, (int)bytes);
			text += bytes;
			text += strspn(text, " ");
		}
	}
	return y;
}

size_t drawing_lines_wanted(const struct picture *picture)
{
	if (!*picture->title)
		return 0;
	return 1 +
	       (picture->is_verdict ? (size_t)draw_sentences(picture, 0, 0) : picture->nr_lines);
}

void draw_lines(const struct drawing *drawing)
{
	const struct rectangle *room = &drawing->layout.lines;
	const struct picture *picture = drawing->picture;
	int y = room->y + 1, end = room->y + room->height;

	if (!room->height)
		return;
	draw_styled(room->y, 0, COLS, A_DIM, picture->title);
	if (picture->is_verdict)
		draw_sentences(picture, y, end);
	for (size_t i = 0; i < picture->nr_lines && y < end && !picture->is_verdict; i++)
		draw_text(y++, 0, room->width, picture->lines[i]);
}
