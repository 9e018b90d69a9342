// SPDX-License-Identifier: GPL-2.0
/*
 * What lib/ allocates, for tests/nomem: instead of a function, lib/ calls the one here of the same
 * name behind "nomem_". $NOMEM names the call that fails; if it is empty, none does, and all are
 * named in the file $NOMEM_SAID.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <mntent.h>
#include <sanitizer/common_interface_defs.h>
#include <search.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 64
#define MAX_WAYS 8192
/* What a second failure meets may be half built. */
#define MOST_OF_A_WAY 2

/* The program without libraries, which are at other addresses in each run, and so is its start. */
extern const char __executable_start, etext;

/* Paths of calls that lead here, and how often. */
static struct {
	uint64_t hash;
	unsigned int nr;
} ways[MAX_WAYS];

static bool is_ours(const void *pc)
{
	return (const char *)pc >= &__executable_start && (const char *)pc < &etext;
}

static uint64_t hash_of(void *const *frames, int nr)
{
	uint64_t hash = 1;

	for (int i = 0; i < nr; i++)
		if (is_ours(frames[i]))
			hash = (hash ^ ((const char *)frames[i] - &__executable_start)) *
			       0x9e3779b97f4a7c15ULL;
	return hash ? hash : 1;
}

/* Which time it is that we came by here. */
static unsigned int count(uint64_t hash)
{
	for (size_t i = 0; i < MAX_WAYS; i++) {
		if (!ways[i].hash)
			ways[i].hash = hash;
		if (ways[i].hash == hash)
			return ++ways[i].nr;
	}
	return MOST_OF_A_WAY + 1;
}

/* A line for $NOMEM_SAID: the call's name, and where it is, innermost function first. */
static void tell(uint64_t call, void *const *frames, int nr)
{
	FILE *out = fopen(getenv("NOMEM_SAID"), "ae");
	char text[512];

	if (!out)
		return;
	fprintf(out, "%" PRIx64, call);
	for (int i = 0; i < nr; i++) {
		if (!is_ours(frames[i]))
			continue;
		__sanitizer_symbolize_pc(frames[i], "%f %s:%l", text, sizeof(text));
		fprintf(out, "\t%s", text);
	}
	fprintf(out, "\n");
	fclose(out);
}

static bool fails(void)
{
	const char *wanted = getenv("NOMEM");
	void *frames[MAX_FRAMES];
	unsigned int time;
	uint64_t call;
	int nr;

	if (!wanted)
		return false;
	nr = backtrace(frames, MAX_FRAMES);
	call = hash_of(frames, nr);
	time = count(call);
	if (time > MOST_OF_A_WAY)
		return false;
	call += time;
	if (!*wanted)
		tell(call, frames, nr);
	if (strtoull(wanted, NULL, 16) != call)
		return false;
	errno = ENOMEM;
	return true;
}

/* The one test to run. */
__attribute__((constructor)) static void choose_test(void)
{
	if (getenv("NOMEM_TEST"))
		cmocka_set_test_filter(getenv("NOMEM_TEST"));
}

/* Result, what says that it failed, name, and parameters with and without their types. */
#define MAY_FAIL(type, failed, name, parameters, arguments)    \
	type nomem_##name parameters;                          \
	__attribute__((noinline)) type nomem_##name parameters \
	{                                                      \
		return fails() ? (failed) : name arguments;    \
	}

MAY_FAIL(void *, NULL, malloc, (size_t size), (size))
MAY_FAIL(void *, NULL, calloc, (size_t nr, size_t size), (nr, size))
MAY_FAIL(void *, NULL, realloc, (void *memory, size_t size), (memory, size))
MAY_FAIL(void *, NULL, reallocarray, (void *memory, size_t nr, size_t size), (memory, nr, size))
MAY_FAIL(char *, NULL, strdup, (const char *text), (text))
MAY_FAIL(char *, NULL, strndup, (const char *text, size_t size), (text, size))
MAY_FAIL(int, -1, vasprintf, (char **text, const char *format, va_list values),
	 (text, format, values))
MAY_FAIL(ssize_t, -1, getdelim, (char **line, size_t *size, int end, FILE *file),
	 (line, size, end, file))
MAY_FAIL(FILE *, NULL, open_memstream, (char **text, size_t *size), (text, size))
MAY_FAIL(FILE *, NULL, fmemopen, (void *memory, size_t size, const char *mode),
	 (memory, size, mode))
MAY_FAIL(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
MAY_FAIL(FILE *, NULL, fdopen, (int fd, const char *mode), (fd, mode))
MAY_FAIL(FILE *, NULL, setmntent, (const char *path, const char *mode), (path, mode))
MAY_FAIL(DIR *, NULL, opendir, (const char *path), (path))
MAY_FAIL(char *, NULL, realpath, (const char *path, char *real), (path, real))
MAY_FAIL(void *, NULL, tsearch, (const void *key, void **root, comparison_fn_t compare),
	 (key, root, compare))

/* What json-c allocates, where lib/ is told of it. */
MAY_FAIL(struct json_object *, NULL, json_object_new_object, (void), ())
MAY_FAIL(struct json_object *, NULL, json_object_new_array, (void), ())
MAY_FAIL(struct json_object *, NULL, json_object_new_string, (const char *text), (text))
MAY_FAIL(struct json_object *, NULL, json_object_new_uint64, (uint64_t number), (number))
MAY_FAIL(struct json_object *, NULL, json_object_new_int64, (int64_t number), (number))
MAY_FAIL(struct json_object *, NULL, json_object_new_boolean, (json_bool is_true), (is_true))
MAY_FAIL(struct json_object *, NULL, json_object_new_double_s, (double value, const char *text),
	 (value, text))
MAY_FAIL(int, -1, json_object_object_add_ex,
	 (struct json_object * object, const char *name, struct json_object *value,
	  unsigned int options),
	 (object, name, value, options))
MAY_FAIL(int, -1, json_object_array_add, (struct json_object * array, struct json_object *value),
	 (array, value))
MAY_FAIL(const char *, NULL, json_object_to_json_string_ext,
	 (struct json_object * value, int flags), (value, flags))

/* To tell of an allocation takes calls that no filter lets through: there is none but in its test.
 */
int nomem_seccomp_load(scmp_filter_ctx filter);
int nomem_seccomp_load(scmp_filter_ctx filter)
{
	return strstr(program_invocation_name, "syscall_filter") ? seccomp_load(filter) : 0;
}

int nomem_asprintf(char **text, const char *format, ...);
int nomem_asprintf(char **text, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = fails() ? -1 : vasprintf(text, format, values);
	va_end(values);
	return length;
}
