// SPDX-License-Identifier: GPL-2.0
#include "lib/http/web_renewal.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "lib/base/helper.h"
#include "lib/base/log.h"
#include "lib/tables/units.h"

/* The beginning of an answer. If anything is new, all texts follow. */
struct answer {
	bool is_new, needs_tls13;
	uint32_t nr_users;
	uint32_t sizes[NR_WEB_TEXTS]; /* with the zero at their end; 0: there is no such text */
};

static bool send_config(int socket, struct web_config *config)
{
	struct answer answer = { true, config->needs_tls13, config->nr_users, { 0 } };

	for (unsigned int i = 0; i < NR_WEB_TEXTS; i++) {
		const char *text = *web_config_text(config, i);

		answer.sizes[i] = text ? strlen(text) + 1 : 0;
	}
	if (!helper_send(socket, &answer, sizeof(answer)))
		return false;
	for (unsigned int i = 0; i < NR_WEB_TEXTS; i++)
		if (!helper_send(socket, *web_config_text(config, i), answer.sizes[i]))
			return false;
	return true;
}

/*
 * Sends the config; files that cannot be read stay as they were. Returns false if it cannot be
 * sent.
 */
static bool look(int socket, struct web_config *last, const char *path)
{
	static const struct answer nothing_new;

	if (web_config_is_stale(last)) {
		web_config_free(last);
		if (!web_config_read(last, path))
			return send_config(socket, last);
		log_error("%s is not in effect: it is read again when it changes", path);
	}
	return helper_send(socket, &nothing_new, sizeof(nothing_new));
}

void web_renewal_serve(int socket, const struct web_config *config)
{
	struct web_config last = *config;
	char *path = strdup(config->files[0].path), request;

	while (path && helper_receive(socket, &request, sizeof(request)) &&
	       look(socket, &last, path))
		;
	web_config_free(&last);
	free(path);
}

struct web_renewal {
	int socket;
	bool is_asked;
	web_renewal_handler handler;
	void *context;
};

/*
 * While an answer is still to come, nobody is asked again. If the other end has closed, on_answer()
 * says so.
 */
static int ask(void *context)
{
	struct web_renewal *renewal = context;

	if (!renewal->is_asked)
		renewal->is_asked = helper_send(renewal->socket, "", 1);
	return 0;
}

/* Returns false if the other end is closed, or there is no memory. */
static bool receive_config(int socket, const struct answer *answer, struct web_config *config)
{
	*config = (struct web_config){ .needs_tls13 = answer->needs_tls13,
				       .nr_users = answer->nr_users };
	for (unsigned int i = 0; i < NR_WEB_TEXTS; i++) {
		char **text = web_config_text(config, i);

		if (!answer->sizes[i])
			continue;
		*text = malloc(answer->sizes[i]);
		if (!*text)
			return false;
		(*text)[0] = '\0';
		if (!helper_receive(socket, *text, answer->sizes[i]))
			return false;
	}
	return true;
}

static int on_answer(void *context)
{
	struct web_renewal *renewal = context;
	struct web_config renewed = { 0 };
	struct answer answer;

	renewal->is_asked = false;
	if (helper_receive(renewal->socket, &answer, sizeof(answer)) &&
	    (!answer.is_new || receive_config(renewal->socket, &answer, &renewed)))
		return answer.is_new ? renewal->handler(renewal->context, &renewed) : 0;
	web_config_free(&renewed);
	log_error("the process that reads the file of --web.config.file has ended: start "
		  "netstacklat anew");
	return -ECHILD;
}

struct web_renewal *web_renewal_start(int socket, struct loop *loop, web_renewal_handler handler,
				      void *context)
{
	struct web_renewal *renewal = malloc(sizeof(*renewal));
	int err;

	if (!renewal) {
		errno = -log_failure(-ENOMEM, "cannot watch the file of --web.config.file");
		return NULL;
	}
	*renewal = (struct web_renewal){ socket, false, handler, context };
	err = loop_add(loop, socket, EPOLLIN, on_answer, renewal);
	if (!err)
		err = loop_add_timer(loop, WEB_RENEWAL_S * NS_PER_S, ask, renewal);
	if (!err)
		return renewal;
	free(renewal);
	errno = -err;
	return NULL;
}

void web_renewal_free(struct web_renewal *renewal)
{
	free(renewal);
}
