// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/helpers.h"

#include <errno.h>

#include "lib/base/helper.h"
#include "lib/base/landlock.h"
#include "lib/base/log.h"
#include "lib/host/netns_facts.h"
#include "lib/host/netns_names.h"
#include "lib/base/privileges.h"
#include "lib/base/syscall_filter.h"
#include "lib/serve/writer.h"

static struct helper names, facts, writer, remover;

/* What a helper is left with: one right, and the calls that go with it. */
static bool keep_only(enum right right, unsigned int calls)
{
	return !privileges_keep(rights[right].capabilities) &&
	       !syscall_filter_install(SYSCALLS_HELPERS | SYSCALLS_FILES | calls);
}

/* /proc/PID/ns of others, and setns(). To read the ids of namespaces before Linux 5.14 takes no
 * more. */
static void serve_names(int socket, void *unused)
{
	(void)unused;
	if (keep_only(RIGHT_TO_FIND_NAMES, SYSCALLS_NETNS))
		netns_names_serve(socket);
}

static void serve_facts(int socket, void *unused)
{
	(void)unused;
	if (keep_only(RIGHT_TO_FIND_FACTS, SYSCALLS_NETNS))
		netns_facts_serve(socket);
}

/* The folder may be another user's, so this is root, who may write anywhere. */
static int write_only_in(int folder)
{
	int err = landlock_write_in(folder);

	if (err != -ENOSYS && err != -EOPNOTSUPP)
		return err ? log_failure(err, "cannot restrict what writes the reports") : 0;
	log_info("this kernel cannot restrict what writes the reports to their folder (Landlock)");
	return 0;
}

static void serve_output(int socket, void *path)
{
	struct output output;

	if (!output_open(&output, path) && !write_only_in(output.folder) &&
	    keep_only(RIGHT_TO_WRITE_FILE, SYSCALLS_REPLACE | SYSCALLS_REMOVE))
		writer_serve(socket, &output);
}

/* What comes after the address may be from one who is no longer to be trusted. */
static void serve_removal(int socket, void *unused)
{
	struct listen_address address;
	char more;

	(void)unused;
	if (!keep_only(RIGHT_TO_REMOVE_SOCKET, SYSCALLS_REMOVE) ||
	    !helper_receive(socket, &address, sizeof(address)))
		return;
	while (helper_receive(socket, &more, sizeof(more)))
		;
	listen_remove_file(&address);
}

int helpers_start(const struct helpers_config *config)
{
	int err = 0;

	if (config->names)
		err = helper_start(&names, serve_names, NULL);
	if (!err && config->facts)
		err = helper_start(&facts, serve_facts, NULL);
	if (!err && config->output)
		err = helper_start(&writer, serve_output, (void *)config->output);
	if (!err && config->socket)
		err = helper_start(&remover, serve_removal, NULL);
	if (err)
		return log_failure(err, "cannot start another process");
	if (config->names)
		netns_names_ask_at(names.socket);
	if (config->facts)
		netns_facts_ask_at(facts.socket);
	return 0;
}

int helpers_writer(void)
{
	return writer.pid ? writer.socket : -1;
}

void helpers_own_socket(const struct listen_address *address)
{
	if (remover.pid)
		helper_send(remover.socket, address, sizeof(*address));
}

void helpers_end(void)
{
	netns_names_ask_at(-1);
	netns_facts_ask_at(-1);
	/* The last one has the others' sockets open, too. */
	helper_end(&remover);
	helper_end(&writer);
	helper_end(&facts);
	helper_end(&names);
}
