/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of a TAP interface, wherever it is. The descriptor knows the interface's present
 * name and namespace; a netlink socket made in that namespace, by a thread that goes there for it,
 * can ask for its counters from anywhere.
 */
#include "tap.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_BYTES 32768 /* as rtnetlink.7 has it: enough for any one message */

/* What a request or an answer is made of. */
union message {
	struct nlmsghdr header;
	char bytes[ANSWER_BYTES];
};

static int open_netlink(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return fd < 0 ? -errno : fd;
}

/* The thread's namespace is its own: the program's stays as it is. */
static void *open_netlink_there(void *argument)
{
	int *fd = argument;

	*fd = setns(*fd, CLONE_NEWNET) ? -errno : open_netlink();
	return NULL;
}

static int open_netlink_in(int namespace)
{
	pthread_t thread;
	int fd = namespace, error = pthread_create(&thread, NULL, open_netlink_there, &fd);

	if (error)
		return -error;
	pthread_join(thread, NULL);
	return fd;
}

static int send_request(int netlink, union message *message, uint16_t flags)
{
	message->header.nlmsg_flags = NLM_F_REQUEST | flags;
	return send(netlink, message, message->header.nlmsg_len, 0) < 0 ? -errno : 0;
}

/*
 * The next part of an answer: its bytes, or a negative errno. It is there when send returns, and
 * each answer is read to its end, so it is that of the last request.
 */
static ssize_t receive_part(int netlink, union message *message)
{
	ssize_t bytes = recv(netlink, message, sizeof(*message), MSG_DONTWAIT);

	return bytes < 0 ? -errno : bytes;
}

/* A whole message within what is left of an answer. */
static bool is_message(const struct nlmsghdr *header, size_t left)
{
	return left >= sizeof(*header) && header->nlmsg_len >= sizeof(*header) &&
	       header->nlmsg_len <= left;
}

/* The attribute of that type among those that follow `fixed` bytes of a message, or NULL. */
static const struct rtattr *attribute(const struct nlmsghdr *message, size_t fixed, int type)
{
	size_t at = NLMSG_SPACE(fixed), end = message->nlmsg_len;

	while (at + sizeof(struct rtattr) <= end) {
		const struct rtattr *attribute =
			(const struct rtattr *)((const char *)message + at);

		if (attribute->rta_len < sizeof(*attribute) || attribute->rta_len > end - at)
			break;
		if (attribute->rta_type == type)
			return attribute;
		at += RTA_ALIGN(attribute->rta_len);
	}
	return NULL;
}

/* A structure that the kernel may have made longer or shorter than ours: 0 where it is shorter. */
static void copy_structure(void *to, size_t bytes, const struct rtattr *from)
{
	memset(to, 0, bytes);
	if (from)
		memcpy(to, RTA_DATA(from), RTA_PAYLOAD(from) < bytes ? RTA_PAYLOAD(from) : bytes);
}

/* tx_dropped, and the interface's present number. */
static int ask_link(int netlink, const char *name, int *index, uint64_t *dropped)
{
	union message message = { .header = { .nlmsg_type = RTM_GETLINK } };
	struct rtattr *wanted =
		(struct rtattr *)(message.bytes + NLMSG_SPACE(sizeof(struct ifinfomsg)));
	const struct nlmsgerr *refusal = (const struct nlmsgerr *)NLMSG_DATA(&message.header);
	const struct rtattr *found;
	struct rtnl_link_stats64 stats;
	ssize_t bytes;
	int error;

	wanted->rta_type = IFLA_IFNAME;
	wanted->rta_len = (unsigned short)RTA_LENGTH(strlen(name) + 1);
	strcpy(RTA_DATA(wanted), name);
	message.header.nlmsg_len =
		(uint32_t)NLMSG_SPACE(sizeof(struct ifinfomsg)) + RTA_ALIGN(wanted->rta_len);
	error = send_request(netlink, &message, 0);
	bytes = error ? error : receive_part(netlink, &message);
	if (bytes < 0)
		return (int)bytes;
	if (!is_message(&message.header, (size_t)bytes))
		return -EPROTO;
	if (message.header.nlmsg_type == NLMSG_ERROR)
		return refusal->error ? refusal->error : -EPROTO;
	found = attribute(&message.header, sizeof(struct ifinfomsg), IFLA_STATS64);
	if (!found)
		return -EPROTO;
	copy_structure(&stats, sizeof(stats), found);
	*dropped = stats.tx_dropped;
	*index = ((const struct ifinfomsg *)NLMSG_DATA(&message.header))->ifi_index;
	return 0;
}

/* Of a part of the list of all queueing disciplines. Returns false at its end. */
static bool find_root(const union message *part, size_t bytes, int index, uint64_t *drops)
{
	size_t at = 0;

	while (at < bytes) {
		const struct nlmsghdr *message = (const struct nlmsghdr *)(part->bytes + at);
		const struct tcmsg *qdisc = (const struct tcmsg *)NLMSG_DATA(message);
		struct tc_stats stats;

		if (!is_message(message, bytes - at) || message->nlmsg_type != RTM_NEWQDISC)
			return false;
		if (qdisc->tcm_ifindex == index && qdisc->tcm_parent == TC_H_ROOT) {
			copy_structure(&stats, sizeof(stats),
				attribute(message, sizeof(*qdisc), TCA_STATS));
			*drops = stats.drops;
		}
		at += NLMSG_ALIGN(message->nlmsg_len);
	}
	return true;
}

/*
 * What the root queueing discipline dropped; 0 if there is none that counts (noqueue, or down). One
 * alone can't be asked for without telling all who listen for changes, so all are listed.
 */
static uint64_t ask_qdisc(int netlink, int index)
{
	union message message = { .header = { .nlmsg_type = RTM_GETQDISC,
					  .nlmsg_len = NLMSG_SPACE(sizeof(struct tcmsg)) } };
	uint64_t drops = 0;
	ssize_t bytes;

	if (send_request(netlink, &message, NLM_F_DUMP))
		return 0;
	do {
		bytes = receive_part(netlink, &message);
	} while (bytes > 0 && find_root(&message, (size_t)bytes, index, &drops));
	return drops;
}

/* A counter that is less than it was has begun anew, as that of another queueing discipline. */
static uint64_t since(uint64_t now, uint64_t last)
{
	return now >= last ? now - last : now;
}

static bool is_ours(const struct stat *namespace)
{
	struct stat ours;

	return !stat("/proc/self/ns/net", &ours) && ours.st_dev == namespace->st_dev &&
	       ours.st_ino == namespace->st_ino;
}

/* A socket where the interface is. */
static int follow_to(struct tap_watch *watch, int namespace)
{
	struct stat where;
	int netlink;

	if (fstat(namespace, &where))
		return -errno;
	netlink = is_ours(&where) ? open_netlink() : open_netlink_in(namespace);
	if (netlink < 0)
		return netlink;
	if (where.st_dev != watch->namespace_device || where.st_ino != watch->namespace_number)
		watch->last.qdisc = 0; /* a queueing discipline doesn't move with its interface */
	watch->namespace_device = where.st_dev;
	watch->namespace_number = where.st_ino;
	return netlink;
}

/* To be told the namespace takes a privilege; without it the interface must be in our own. */
static int follow(struct tap_watch *watch)
{
	int namespace = ioctl(watch->tap, TUNGETDEVNETNS, NULL), netlink;

	if (namespace >= 0) {
		netlink = follow_to(watch, namespace);
		close(namespace);
		return netlink;
	}
	return errno == EBADFD ? -EBADFD : open_netlink();
}

static int ask(const struct tap_watch *watch, int netlink, struct tap_drops *now)
{
	struct ifreq interface = { 0 };
	int index, error;

	if (ioctl(watch->tap, TUNGETIFF, &interface))
		return -errno;
	error = ask_link(netlink, interface.ifr_name, &index, &now->queue);
	if (!error)
		now->qdisc = ask_qdisc(netlink, index);
	return error;
}

int tap_watch_update(struct tap_watch *watch)
{
	int netlink = follow(watch), error;
	struct tap_drops now;

	if (netlink < 0)
		return netlink;
	error = ask(watch, netlink, &now);
	close(netlink); /* else it would keep a namespace alive that somebody has deleted */
	if (error)
		return error;
	if (watch->seen) {
		watch->drops.queue += since(now.queue, watch->last.queue);
		watch->drops.qdisc += since(now.qdisc, watch->last.qdisc);
	}
	watch->last = now;
	watch->seen = true;
	return 0;
}

int tap_watch_open(struct tap_watch *watch, int tap)
{
	*watch = (struct tap_watch){ .tap = tap };
	return tap_watch_update(watch);
}
