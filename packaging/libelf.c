// SPDX-License-Identifier: GPL-2.0
/*
 * What the libelf.a of elfutils 0.192, which is Debian 13's, needs and lacks
 * (https://sourceware.org/bugzilla/show_bug.cgi?id=32293): the begin and the end of a tree that
 * only elf_getdata_rawchunk() uses. Neither libbpf nor netstacklat calls that, and who does gets no
 * further than the linker, as the rest of the tree is missing, too.
 */

void eu_search_tree_init(void *tree)
{
	(void)tree;
}

void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
	(void)tree;
	(void)free_node;
}
