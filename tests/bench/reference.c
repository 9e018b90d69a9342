// SPDX-License-Identifier: GPL-2.0
/* Attaches the programs of tests/bench/reference.bpf.c, says so, and stays until a signal. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return EXIT_FAILURE;
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return EXIT_FAILURE;
	puts("attached");
	fflush(stdout);
	return pause();
}
