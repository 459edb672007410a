/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 100 /* times 10 ms: of a command that was sent a signal */

/*
 * The other side: waits for a byte, and becomes the command. If that fails its errno goes back;
 * else nothing does, as the pipe closes.
 */
static _Noreturn void become(int go, int failed, char **words)
{
	char byte;

	signal(SIGPIPE, SIG_DFL);
	if (read(go, &byte, 1) == 1) {
		int error;

		execvp(words[0], words);
		error = errno;
		if (write(failed, &error, sizeof(error)) != sizeof(error))
			_exit(126);
	}
	_exit(127);
}

int ringstat_child_prepare(struct ringstat_child *child, char **words, int count, struct diag *diag)
{
	int go[2], failed[2];

	*child = (struct ringstat_child){ .go = -1, .failed = -1 };
	if (!count)
		return 0;
	/* no sockets, which would be recorded */
	if (pipe2(go, O_CLOEXEC))
		return diag_set(diag, -errno, "no pipe: %s", strerror(errno));
	child->go = go[1];
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		return diag_set(diag, -errno, "no pipe: %s", strerror(errno));
	}
	child->failed = failed[0];
	child->name = words[0];
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		become(go[0], failed[1], words);
	}
	close(go[0]);
	close(failed[1]);
	if (child->pid > 0)
		return 0;
	child->pid = 0;
	return diag_set(diag, -errno, "no process: %s", strerror(errno));
}

static void close_pipe(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

int ringstat_child_go(struct ringstat_child *child, struct diag *diag)
{
	int error = 0;
	ssize_t bytes;

	if (!child->pid)
		return 0;
	if (write(child->go, "", 1) != 1)
		return diag_set(diag, -errno, "%s: %s", child->name, strerror(errno));
	close_pipe(&child->go);
	do {
		bytes = read(child->failed, &error, sizeof(error));
	} while (bytes < 0 && errno == EINTR);
	if (bytes != sizeof(error))
		return 0;
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
	return diag_set(diag, -error, "%s: can't be run: %s", child->name, strerror(error));
}

bool ringstat_child_ended(struct ringstat_child *child)
{
	if (child->pid && !child->ended)
		child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->ended;
}

void ringstat_child_signal(struct ringstat_child *child, int number, bool has_it)
{
	if (!child->pid || child->ended)
		return;
	child->signal = number;
	if (!has_it)
		kill(child->pid, number);
}

static void say(const struct ringstat_child *child)
{
	int number = WTERMSIG(child->status);

	if (!child->ended)
		fprintf(stderr, "ringstat: %s is still running\n", child->name);
	else if (WIFSIGNALED(child->status) && number != child->signal)
		fprintf(stderr, "ringstat: %s was ended by signal %d (%s)\n", child->name, number,
			strsignal(number));
	else if (WIFEXITED(child->status) && WEXITSTATUS(child->status))
		fprintf(stderr, "ringstat: %s ended with status %d\n", child->name,
			WEXITSTATUS(child->status));
}

void ringstat_child_end(struct ringstat_child *child)
{
	bool begun = child->go < 0;

	close_pipe(&child->go); /* one that waits ends then */
	close_pipe(&child->failed);
	if (!child->pid)
		return;
	if (!begun) {
		waitpid(child->pid, NULL, 0);
		return;
	}
	for (int i = 0; i < PATIENCE && !ringstat_child_ended(child); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	say(child);
}
