/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat.h"

#include "cycles.h"
#include "groups.h"
#include "transmit.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* All options of all subcommands; a subcommand names the ones that it takes by their letters. */
static const struct {
	char letter;
	const char *name;
	const char *value; /* NULL: takes none */
	const char *help;
} rows[] = {
	{ 'j', "json", NULL, "print JSON instead of text" },
	{ 'd', "dev", "NAME", "only this device (the exact name)" },
	{ 'f', "from", "SECONDS", "only events at this time or later, as the trace prints times" },
	{ 't', "to", "SECONDS", "only events at this time or earlier" },
	{ 'r', "ring", "N", "the ring has N descriptors; needs --profile" },
	{ 'p', "profile", "NAME", "the driver's rule for a full ring: linux-2.6.35 or linux-6.1" },
	{ 'D', "descriptors", "N", "descriptors that a packet takes (2)" },
	{ 'c', "capacity", "N", "packets that a queue can own, instead of the three above" },
	{ 'e', "expire", "SECONDS", "a packet open for longer counts as unresolved (never)" },
	{ 's', "stall", "SECONDS", "time without a free that makes a stall (2); 0: look for none" },
	{ 'b', "budget", "N", "packets that a NET_RX softirq may handle (300)" },
	{ 'u', "budget-usecs", "N", "microseconds that a NET_RX softirq may take (2000)" },
	{ 'n', "newest", "N", "how many of the newest costs to print (512; with --json none)" },
	{ 'T', "to", "FORMAT", "ctf (a folder), perfetto (also for Chrome) or csv" },
	{ 'o', "output", "PATH", "-o: the file or, of a CTF trace, the folder to write" },
	{ 'C', "compat", NULL, "print the layout of perf's netdev-times script" },
	{ 'g', "event", "GROUP",
		"-e: tx (the default), rx, napi, sock, rxcost or all; may be repeated" },
	{ 'F', "follow", NULL, "show each second what is in the devices, on standard error" },
	{ 'l', "duration", "SECONDS", "record for so long; a command that still runs is ended" },
	{ 'k', "buffer-kib", "N", "the kernel's buffer of each CPU (8192)" },
	{ 'm', "tracefs", "FOLDER", "where tracefs is mounted (it is found)" },
	{ 'h', "hz", "N", "frequency of a clock in cycles that the trace doesn't calibrate" },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/*
 * Descriptors that a driver keeps free for a packet's fragments. The model's own table is in
 * drivers/e1000e, which an analyzer that works without the model can't look at.
 */
static const struct {
	const char *profile;
	uint32_t reserve;
} profiles[] = {
	{ "linux-2.6.35", 20 }, /* MAX_SKB_FRAGS + 2: a ring of 256 owns 118 packets */
	{ "linux-6.1", 22 },    /* a ring of 256 owns 117 */
};

/* What can't be decided before all options are known. */
struct ring {
	const char *profile;
	uint32_t descriptors_in_ring, descriptors_a_packet;
};

#define DESCRIPTORS_A_PACKET 2 /* a checksum context and the data */

static int parse_number(
	const char *name, const char *text, uint64_t most, uint64_t *number, struct diag *diag)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || !*number || *number > most)
		return diag_set(diag, STATUS_USAGE,
			"--%s: '%s' is not a whole number from 1 to %" PRIu64, name, text, most);
	return 0;
}

static int parse_u32(const char *name, const char *text, uint32_t *number, struct diag *diag)
{
	uint64_t wide;

	if (parse_number(name, text, 1000000, &wide, diag))
		return STATUS_USAGE;
	*number = (uint32_t)wide;
	return 0;
}

/* "64.856929": digits, and up to nine behind a point. Exact, as no double is. */
static int parse_seconds(const char *name, const char *text, uint64_t *ns, struct diag *diag)
{
	const uint64_t most_s = UINT64_MAX / CYCLES_NS_PER_S - 1;
	uint64_t seconds = 0, fraction = 0, unit = CYCLES_NS_PER_S / 10;
	const char *p = text;

	for (; isdigit((unsigned char)*p) && seconds <= most_s; p++)
		seconds = 10 * seconds + (uint64_t)(*p - '0');
	if (p != text && *p == '.' && isdigit((unsigned char)p[1])) {
		for (p++; isdigit((unsigned char)*p); p++, unit /= 10) {
			if (!unit && *p != '0')
				break;
			fraction += unit * (uint64_t)(*p - '0');
		}
	}
	if (p == text || *p || seconds > most_s)
		return diag_set(diag, STATUS_USAGE,
			"--%s: '%s' is not a number of seconds, to a nanosecond at best, like 1.5",
			name, text);
	*ns = seconds * CYCLES_NS_PER_S + fraction;
	return 0;
}

static int parse_expire(const char *text, struct ringstat_options *options, struct diag *diag)
{
	if (parse_seconds("expire", text, &options->expire_ns, diag))
		return STATUS_USAGE;
	if (!options->expire_ns)
		return diag_set(diag, STATUS_USAGE, "--expire: '%s' is no time at all", text);
	return 0;
}

static int parse_device(const char *text, struct ringstat_options *options, struct diag *diag)
{
	options->device = text;
	if (!*text)
		return diag_set(diag, STATUS_USAGE, "--dev: '' is not a device");
	return 0;
}

static int parse_group(const char *text, struct ringstat_options *options, struct diag *diag)
{
	unsigned group = record_group_find(text);

	options->groups |= group;
	return group ? 0
		     : diag_set(diag, STATUS_USAGE, "--event: '%s' is not one of %s", text,
			       record_group_names);
}

static int parse_duration(const char *text, struct ringstat_options *options, struct diag *diag)
{
	if (parse_seconds("duration", text, &options->duration_ns, diag))
		return STATUS_USAGE;
	if (!options->duration_ns)
		return diag_set(diag, STATUS_USAGE, "--duration: '%s' is no time at all", text);
	return 0;
}

/* The options that only ringstat record has. */
static int take_record(
	int letter, const char *value, struct ringstat_options *options, struct diag *diag)
{
	switch (letter) {
	case 'g':
		return parse_group(value, options, diag);
	case 'F':
		options->follow = true;
		return 0;
	case 'l':
		return parse_duration(value, options, diag);
	case 'k':
		return parse_u32("buffer-kib", value, &options->buffer_kib, diag);
	case 'm':
		options->tracefs = value;
		return 0;
	default:
		return STATUS_USAGE;
	}
}

static int take(int letter, const char *value, struct ringstat_options *options, struct ring *ring,
	struct diag *diag)
{
	switch (letter) {
	case 'j':
		options->json = true;
		return 0;
	case 'T':
		options->convert_to = value;
		return 0;
	case 'o':
		options->output = value;
		return 0;
	case 'C':
		options->compat = true;
		return 0;
	case 'd':
		return parse_device(value, options, diag);
	case 'f':
		options->from_given = true;
		return parse_seconds("from", value, &options->from_ns, diag);
	case 't':
		options->to_given = true;
		return parse_seconds("to", value, &options->to_ns, diag);
	case 'r':
		return parse_u32("ring", value, &ring->descriptors_in_ring, diag);
	case 'p':
		ring->profile = value;
		return 0;
	case 'D':
		return parse_u32("descriptors", value, &ring->descriptors_a_packet, diag);
	case 'c':
		return parse_u32("capacity", value, &options->capacity, diag);
	case 'e':
		return parse_expire(value, options, diag);
	case 's':
		options->stall_given = true;
		return parse_seconds("stall", value, &options->stall_ns, diag);
	case 'n':
		return parse_u32("newest", value, &options->newest, diag);
	case 'b':
		return parse_u32("budget", value, &options->budget, diag);
	case 'u':
		return parse_u32("budget-usecs", value, &options->budget_usecs, diag);
	case 'h':
		return parse_number("hz", value, UINT64_MAX, &options->hz, diag);
	default:
		return take_record(letter, value, options, diag);
	}
}

/* --ring, --profile and --descriptors make a capacity. */
static int compute_capacity(
	struct ringstat_options *options, const struct ring *ring, struct diag *diag)
{
	uint32_t descriptors =
		ring->descriptors_a_packet ? ring->descriptors_a_packet : DESCRIPTORS_A_PACKET;
	size_t i = 0;

	if (!ring->profile && !ring->descriptors_in_ring && !ring->descriptors_a_packet)
		return 0;
	if (options->capacity)
		return diag_set(diag, STATUS_USAGE,
			"--capacity says what --ring, --profile and --descriptors would: give one");
	if (!ring->descriptors_in_ring || !ring->profile)
		return diag_set(diag, STATUS_USAGE, "--ring and --profile belong together%s",
			ring->profile || ring->descriptors_in_ring ? ""
								   : "; --descriptors needs them");
	while (i < sizeof(profiles) / sizeof(*profiles) &&
		strcmp(profiles[i].profile, ring->profile))
		i++;
	if (i == sizeof(profiles) / sizeof(*profiles))
		return diag_set(diag, STATUS_USAGE,
			"--profile: '%s' is not one of linux-2.6.35, linux-6.1 (--capacity N says "
			"for any driver what a queue can own)",
			ring->profile);
	options->capacity =
		transmit_capacity(ring->descriptors_in_ring, profiles[i].reserve, descriptors);
	if (!options->capacity)
		return diag_set(diag, STATUS_USAGE,
			"--ring: '%" PRIu32 "' leaves no place for a packet, as %s keeps %" PRIu32
			" descriptors free",
			ring->descriptors_in_ring, ring->profile, profiles[i].reserve);
	return 0;
}

/* The options of ringstat record that shape a report, or say what to show, and of which groups. */
static const struct {
	const char *letters;
	unsigned groups;
} shapes[] = {
	{ "j", RECORD_ALL },
	{ "d", RECORD_TX | RECORD_RX | RECORD_NAPI | RECORD_RXCOST },
	{ "cesrpDF", RECORD_TX },
	{ "bu", RECORD_NAPI },
	{ "n", RECORD_RXCOST },
};

/* What nothing would come of. `given` are rows, as bits. */
static int check_shape(
	const struct ringstat_options *options, size_t row, uint32_t given, struct diag *diag)
{
	if (!(given & UINT32_C(1) << row))
		return 0;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (!strchr(shapes[i].letters, rows[row].letter))
			continue;
		if (!(shapes[i].groups & options->groups))
			return diag_set(diag, STATUS_USAGE,
				"--%s is of no use for what these groups of events tell: see "
				"--help",
				rows[row].name);
		if (options->output && rows[row].letter != 'F')
			return diag_set(diag, STATUS_USAGE,
				"with --output no report is made that --%s could shape: give it to "
				"ringstat report and the others",
				rows[row].name);
	}
	return 0;
}

static int check_record(struct ringstat_options *options, uint32_t given, struct diag *diag)
{
	if (!options->groups)
		options->groups = RECORD_TX;
	options->receive = true; /* what a timeline of the group rx shows */
	for (size_t row = 0; row < ROWS; row++) {
		if (check_shape(options, row, given, diag))
			return STATUS_USAGE;
	}
	return 0;
}

static int check(const struct ringstat_command *command, struct ringstat_options *options,
	const struct ring *ring, uint32_t given, struct diag *diag)
{
	if (compute_capacity(options, ring, diag))
		return STATUS_USAGE;
	if (command->records)
		return check_record(options, given, diag);
	if (options->from_given && options->to_given && options->from_ns > options->to_ns)
		return diag_set(diag, STATUS_USAGE, "--from is later than --to");
	if (!options->file_count)
		return diag_set(
			diag, STATUS_USAGE, "which FILE? ('-' is standard input; see --help)");
	return 0;
}

/* The message is ours, so that it comes from one place; getopt's own would go to stderr. */
static int refuse(int found, char **argv, const struct option *known, struct diag *diag)
{
	const char *text = argv[optind - 1];

	if (found == ':')
		return diag_set(diag, STATUS_USAGE, "%s needs a value", text);
	/* of "-xj" getopt tells the letter, and is still at the word before */
	if (optopt && optopt <= UCHAR_MAX)
		return diag_set(diag, STATUS_USAGE, "unknown option '-%c'; see --help", optopt);
	for (; optopt && known->name; known++) {
		if (known->val == optopt)
			return diag_set(diag, STATUS_USAGE, "--%s takes no value", known->name);
	}
	return diag_set(diag, STATUS_USAGE, "unknown option '%s'; see --help", text);
}

/* Which of two values is meant nobody knows. 0 or STATUS_USAGE. */
static int refuse_second(int letter, uint32_t *given, struct diag *diag)
{
	for (size_t i = 0; i < ROWS && letter != 'g'; i++) {
		uint32_t bit = UINT32_C(1) << i;

		if (rows[i].letter != letter)
			continue;
		if (*given & bit)
			return diag_set(diag, STATUS_USAGE, "--%s is given twice", rows[i].name);
		*given |= bit;
	}
	return 0;
}

/* The words before the files. */
static void take_directions(struct ringstat_options *options)
{
	for (; options->file_count; options->files++, options->file_count--) {
		if (!strcmp(options->files[0], "tx"))
			options->transmit = true;
		else if (!strcmp(options->files[0], "rx"))
			options->receive = true;
		else
			break;
	}
	if (!options->receive && !options->transmit)
		options->receive = options->transmit = true;
}

int ringstat_options(int argc, char **argv, const struct ringstat_command *command,
	struct ringstat_options *options, struct diag *diag)
{
	struct option known[ROWS + 2] = { { "help", no_argument, NULL, '?' + 256 } };
	const char *letters = command->records                ? "+:he:o:"
			      : strchr(command->options, 'o') ? ":ho:"
							      : ":h";
	struct ring ring = { 0 };
	uint32_t given = 0;
	int found, count = 1;

	for (size_t i = 0; i < ROWS; i++) {
		if (!strchr(command->options, rows[i].letter))
			continue;
		known[count++] = (struct option){ rows[i].name,
			rows[i].value ? required_argument : no_argument, NULL,
			rows[i].letter + 256 };
	}
	known[count] = (struct option){ 0 };
	opterr = 0;
	while ((found = getopt_long(argc, argv, letters, known, NULL)) != -1) {
		if (found == 'h' || found == '?' + 256)
			return STATUS_HELP;
		if (found == 'e')
			found = 'g' + 256;
		if (found == 'o')
			found += 256;
		if (found == '?' || found == ':')
			return refuse(found, argv, known, diag);
		if (refuse_second(found - 256, &given, diag) ||
			take(found - 256, optarg, options, &ring, diag))
			return STATUS_USAGE;
	}
	options->files = argv + optind;
	options->file_count = argc - optind;
	if (command->files && options->file_count != command->files)
		return diag_set(diag, STATUS_USAGE, "it takes %d FILEs, not %d; see --help",
			command->files, options->file_count);
	if (command->directions)
		take_directions(options);
	return check(command, options, &ring, given, diag);
}

void ringstat_print_options(const struct ringstat_command *command, FILE *out)
{
	for (size_t i = 0; i < ROWS; i++) {
		char name[40];

		if (!strchr(command->options, rows[i].letter))
			continue;
		snprintf(name, sizeof(name), "--%s %s", rows[i].name,
			rows[i].value ? rows[i].value : "");
		fprintf(out, "    %-18s %s\n", name, rows[i].help);
	}
	fputs("    --help             this text\n", out);
}
