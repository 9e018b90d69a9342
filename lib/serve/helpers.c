// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/helpers.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/helper.h"
#include "lib/base/log.h"
#include "lib/confine/landlock.h"
#include "lib/confine/privileges.h"
#include "lib/confine/syscall_filter.h"
#include "lib/host/container.h"
#include "lib/host/netns_facts.h"
#include "lib/host/netns_names.h"
#include "lib/http/passwords.h"
#include "lib/http/web_renewal.h"
#include "lib/serve/writer.h"

static struct helper helpers[NR_HELPERS];

/* The rest that a helper keeps: these rights, and the calls that go with them. */
static bool keep(uint64_t capabilities, unsigned int calls)
{
	return !privileges_keep(capabilities) &&
	       !syscall_filter_install(SYSCALLS_HELPERS | SYSCALLS_FILES | calls);
}

static bool keep_only(enum right right, unsigned int calls)
{
	return keep(rights[right].capabilities, calls);
}

/*
 * These are for /proc/PID/ns of others, and setns(). Reading the ids of namespaces before Linux
 * 5.14 takes no more.
 */
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

/*
 * Root owns the files, and needs no right to read them; nobody else who starts this may read them.
 */
static void serve_containers(int socket, void *unused)
{
	(void)unused;
	if (keep(0, 0))
		container_names_serve(socket);
}

/* This process reads no files, as root or not, and may take all time that nobody else wants. */
static void serve_passwords(int socket, void *unused)
{
	(void)unused;
	if (nice(19) != -1 && keep(0, 0))
		passwords_serve(socket);
}

/* The files are those of who starts this, or may be read by anybody. */
static void serve_web_config(int socket, void *context)
{
	const struct helpers_config *config = context;

	if (keep(0, 0))
		web_renewal_serve(socket, config->web);
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

static void serve_output(int socket, void *context)
{
	const struct helpers_config *config = context;
	struct output output;

	if (!output_open(&output, config->output) && !write_only_in(output.folder) &&
	    keep_only(RIGHT_TO_WRITE_FILE, SYSCALLS_REPLACE | SYSCALLS_REMOVE))
		writer_serve(socket, &output);
}

/* Messages after the addresses may be from one who is no longer to be trusted. */
static void serve_removal(int socket, void *unused)
{
	struct listen_addresses addresses;
	char more;

	(void)unused;
	if (!keep_only(RIGHT_TO_REMOVE_SOCKET, SYSCALLS_REMOVE) ||
	    !helper_receive(socket, &addresses, sizeof(addresses)))
		return;
	while (helper_receive(socket, &more, sizeof(more)))
		;
	listen_remove_files(&addresses);
}

static void (*const serve[NR_HELPERS])(int socket, void *config) = {
	[HELPER_NAMES] = serve_names,		[HELPER_FACTS] = serve_facts,
	[HELPER_CONTAINERS] = serve_containers, [HELPER_PASSWORDS] = serve_passwords,
	[HELPER_WEB_CONFIG] = serve_web_config, [HELPER_WRITER] = serve_output,
	[HELPER_REMOVER] = serve_removal,
};

int helpers_start(unsigned int set, const struct helpers_config *config)
{
	int err = 0;

	for (enum helper_task task = 0; task < NR_HELPERS && !err; task++)
		if (set & 1U << task)
			err = helper_start(&helpers[task], serve[task], (void *)config);
	if (err)
		return log_failure(err, "cannot start another process");
	if (set & 1U << HELPER_NAMES)
		netns_names_ask_at(helpers[HELPER_NAMES].socket);
	if (set & 1U << HELPER_FACTS)
		netns_facts_ask_at(helpers[HELPER_FACTS].socket);
	if (set & 1U << HELPER_CONTAINERS)
		container_names_ask_at(helpers[HELPER_CONTAINERS].socket);
	return 0;
}

int helpers_socket(enum helper_task task)
{
	return helpers[task].pid ? helpers[task].socket : -1;
}

void helpers_own_sockets(const struct listen_addresses *addresses)
{
	if (helpers[HELPER_REMOVER].pid)
		helper_send(helpers[HELPER_REMOVER].socket, addresses, sizeof(*addresses));
}

void helpers_end(void)
{
	netns_names_ask_at(-1);
	netns_facts_ask_at(-1);
	container_names_ask_at(-1);
	/* Each has the sockets of those before it open, too. */
	for (int task = NR_HELPERS - 1; task >= 0; task--)
		helper_end(&helpers[task]);
}
