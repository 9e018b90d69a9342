/* SPDX-License-Identifier: GPL-2.0 */
/* Macros of libraries' headers, which cppcheck does not read, for it to see what they mean. */
#define LIBBPF_OPTS(type, name, ...) struct type name = { __VA_ARGS__ }
#define TAILQ_FOREACH(item, head, field) \
	for ((item) = (head)->tqh_first; (item); (item) = (item)->field.tqe_next)
#define bpf_object__for_each_program(program, object)                       \
	for ((program) = bpf_object__next_program(object, NULL); (program); \
	     (program) = bpf_object__next_program(object, program))
#define json_object_object_foreach(object, name, value)       \
	char *name = json_first_name(object);                 \
	struct json_object *value = json_first_value(object); \
	for (; name; name = json_next_name(object))
