/* SPDX-License-Identifier: BSD-3-Clause */
/* ringside: runs scenarios on the modelled NIC. */
#include "descriptors.h"
#include "lesson.h"
#include "live.h"
#include "receiver.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_COMPLETE = 0, EXIT_USAGE = 1, EXIT_REFUSED = 2, EXIT_PARTIAL = 3 };
enum { SETS_MOST = 256, CONFIGS_MOST = 4 };

static struct env {
	const char *configs[CONFIGS_MOST];
	unsigned config_count;
	const char *set[SETS_MOST];
	unsigned set_count;
	char seed[32];
	struct run_options run;
	struct live_options live;
	unsigned tap_count;
	bool json;
	bool help_config;
} env;

static const char usage_text[] =
	"Usage: ringside run CONFIG [--set KEY=VALUE]... [--seed N] [--trace DIR] [--json]\n"
	"       ringside compare CONFIG... [--set KEY=VALUE]... [--seed N]\n"
	"       ringside live [CONFIG] --tap NAME --tap NAME [--set KEY=VALUE]... [--seed N]\n"
	"                [--trace DIR] [--duration S] [--interval S] [--json]\n"
	"       ringside lesson [NAME]\n"
	"       ringside run --help-config\n"
	"\n"
	"run      runs a scenario on the modelled NIC and reports what the device did to packets;\n"
	"         with the clock tsc in real time, and what received packets cost\n"
	"compare  runs up to four scenarios and prints them beside their published figures\n"
	"live     joins two TAP interfaces through two modelled NICs, in real time, until SIGINT "
	"or\n"
	"         SIGTERM; a scenario's host and workload are replaced by the kernels behind them\n"
	"lesson   runs an experiment and tells what came of it; without NAME, names the lessons\n"
	"\n"
	"  -s, --set KEY=VALUE  overrides a key of the file; KEY is the dotted path, or its last "
	"part\n"
	"                       where only one key ends so; in a list it means every item\n"
	"      --seed N         the same as --set seed=N\n"
	"  -t, --trace DIR      also writes all events as a CTF trace into an empty folder\n"
	"  -j, --json           prints the JSON object ringside.report/1\n"
	"      --tap NAME       an interface, which is made unless it exists; for live, twice\n"
	"      --duration S     ends live after so many seconds\n"
	"      --interval S     prints a line on standard error every S seconds; without it live\n"
	"                       keeps one up to date if that is a terminal\n"
	"      --help-config    prints every key with unit, range and default\n"
	"  -h, --help           prints this\n"
	"\n"
	"EXAMPLES\n"
	"  ringside run configs/sanagi-256.yaml\n"
	"  ringside run configs/sanagi-256.yaml --set ring_size=384 --json\n"
	"  ringside run configs/sanagi-256.yaml --set duration_s=0.1 --trace /tmp/trace\n"
	"  ringside run configs/tg3-acks.yaml\n"
	"  ringside compare configs/sanagi-256.yaml configs/sanagi-512.yaml\n"
	"  ringside lesson bql\n"
	"  ringside live configs/sanagi-256.yaml --tap ring0 --tap ring1 --interval 1\n"
	"\n"
	"Exit status: 0 complete; 1 wrong usage; 2 a scenario can't be read or is refused, an\n"
	"interface can't be had, or output can't be written; 3 live ended because an interface "
	"was\n"
	"deleted, or its trace lacks events.\n";

static int fail(const char *text)
{
	fprintf(stderr, "ringside: %s\n", text);
	return EXIT_REFUSED;
}

static int usage_error(const char *what, const char *which)
{
	fprintf(stderr, "ringside: %s%s; ringside --help tells more\n", what, which);
	return EXIT_USAGE;
}

/* Everything is printed at the end: what fails in between leaves standard output empty. */
static int finish(bool written)
{
	if (!written || fflush(stdout) || ferror(stdout))
		return fail("standard output can't be written");
	return EXIT_COMPLETE;
}

enum { OPTION_SEED = 256, OPTION_HELP_CONFIG, OPTION_TAP, OPTION_DURATION, OPTION_INTERVAL };

static const struct option long_options[] = {
	{ "set", required_argument, NULL, 's' },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "trace", required_argument, NULL, 't' },
	{ "tap", required_argument, NULL, OPTION_TAP },
	{ "duration", required_argument, NULL, OPTION_DURATION },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "help-config", no_argument, NULL, OPTION_HELP_CONFIG },
	{ 0 },
};

/* Returns -1 to go on, or the exit status. */
static int take_seconds(double *seconds, const char *option)
{
	enum { LEAST_MS = 10, MOST_S = 86400 };
	char *end;

	if (*seconds > 0)
		return usage_error(option, " given more than once");
	*seconds = strtod(optarg, &end);
	if (end == optarg || *end || !(*seconds >= LEAST_MS / 1e3 && *seconds <= MOST_S))
		return usage_error(option, " takes 0.01 to 86400 seconds");
	return -1;
}

/* Returns -1 to go on, or the exit status. */
static int take_option(int option)
{
	switch (option) {
	case 's':
	case OPTION_SEED:
		if (env.set_count == SETS_MOST)
			return usage_error("too many --set", "");
		if (option == OPTION_SEED) {
			if (snprintf(env.seed, sizeof(env.seed), "seed=%s", optarg) >=
				(int)sizeof(env.seed))
				return usage_error("--seed: no number: ", optarg);
			env.set[env.set_count++] = env.seed;
		} else {
			env.set[env.set_count++] = optarg;
		}
		return -1;
	case 't':
		if (env.run.trace)
			return usage_error("--trace given more than once: ", optarg);
		env.run.trace = optarg;
		return -1;
	case 'j':
		env.json = true;
		return -1;
	case OPTION_TAP:
		if (env.tap_count == LIVE_SIDES)
			return usage_error("--tap given more than twice: ", optarg);
		env.live.taps[env.tap_count++] = optarg;
		return -1;
	case OPTION_DURATION:
		return take_seconds(&env.live.duration_s, "--duration");
	case OPTION_INTERVAL:
		return take_seconds(&env.live.interval_s, "--interval");
	case OPTION_HELP_CONFIG:
		env.help_config = true;
		return -1;
	case 'h':
		fputs(usage_text, stdout);
		return finish(true);
	default:
		fputs("ringside --help tells more\n", stderr);
		return EXIT_USAGE;
	}
}

static int parse(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "s:t:jh", long_options, NULL)) != -1) {
		int status = take_option(option);

		if (status >= 0)
			return status;
	}
	for (; optind < argc; optind++) {
		if (env.config_count == CONFIGS_MOST)
			return usage_error("too many scenarios, from ", argv[optind]);
		env.configs[env.config_count++] = argv[optind];
	}
	return -1;
}

static int print_json(json_t *object)
{
	bool written = object && !report_write_json(object, stdout);

	json_decref(object);
	return finish(written);
}

static bool has_live_options(void)
{
	return env.tap_count || env.live.duration_s > 0 || env.live.interval_s > 0;
}

static int load(struct scenario *scenario, const char *file, bool live, struct diag *diag)
{
	int error = scenario_load(scenario, file, env.set, env.set_count, diag);
	enum scenario_use use = live ? SCENARIO_LIVE : scenario_use_of(scenario);

	return error ? error : scenario_check_use(scenario, use, env.set, env.set_count, diag);
}

/* In real time. */
static int receive(const struct scenario *scenario)
{
	struct receiver_outcome *outcome = malloc(sizeof(*outcome));
	struct diag diag;
	int status;

	if (!outcome)
		return fail("no memory");
	if (receiver_run(scenario, &env.run, outcome, &diag)) {
		free(outcome);
		return fail(diag.text);
	}
	if (env.json) {
		status = print_json(receiver_json(outcome));
	} else {
		receiver_text(outcome, stdout);
		status = finish(true);
	}
	receiver_release(outcome);
	free(outcome);
	return status;
}

static int run(void)
{
	struct scenario scenario;
	struct outcome outcome;
	struct diag diag;
	int status;

	if (env.help_config) {
		if (env.config_count)
			return usage_error("--help-config takes no scenario: ", env.configs[0]);
		scenario_help(stdout);
		return finish(true);
	}
	if (env.config_count != 1 || has_live_options())
		return usage_error("run takes one scenario, and no option of live", "");
	if (load(&scenario, env.configs[0], false, &diag))
		return fail(diag.text);
	if (scenario_use_of(&scenario) == SCENARIO_RECEIVE)
		return receive(&scenario);
	if (scenario_start(&scenario, 1, &diag) ||
		scenario_run(&scenario, &env.run, &outcome, &diag))
		return fail(diag.text);
	if (env.json) {
		status = print_json(outcome_json(&outcome));
	} else {
		outcome_text(&outcome, stdout);
		status = finish(true);
	}
	outcome_release(&outcome);
	return status;
}

static int compare(void)
{
	struct scenario scenarios[CONFIGS_MOST];
	struct outcome outcomes[CONFIGS_MOST];
	struct diag diag;
	unsigned done = 0;
	int status = EXIT_COMPLETE;

	if (!env.config_count || env.json || env.run.trace || env.help_config || has_live_options())
		return usage_error("compare takes scenarios and --set, no other option", "");
	for (unsigned i = 0; i < env.config_count; i++) {
		if (load(&scenarios[i], env.configs[i], false, &diag))
			return fail(diag.text);
		if (scenario_use_of(&scenarios[i]) != SCENARIO_RUN) {
			diag_set(
				&diag, -EINVAL, "%s: clock: compare takes virtual", env.configs[i]);
			return fail(diag.text);
		}
	}
	if (scenario_start(scenarios, env.config_count, &diag))
		return fail(diag.text);
	for (; done < env.config_count; done++) {
		if (scenario_run(&scenarios[done], &env.run, &outcomes[done], &diag)) {
			status = fail(diag.text);
			break;
		}
	}
	if (status == EXIT_COMPLETE) {
		outcome_compare(outcomes, done, stdout);
		status = finish(true);
	}
	while (done--)
		outcome_release(&outcomes[done]);
	return status;
}

static int live(void)
{
	struct scenario scenario;
	struct live_outcome outcome;
	struct diag diag;
	int status;

	if (env.config_count > 1 || env.tap_count != LIVE_SIDES || env.help_config)
		return usage_error("live takes one scenario at most, and --tap twice", "");
	if (!strcmp(env.live.taps[0], env.live.taps[1]))
		return usage_error(
			"live joins two interfaces, not one with itself: ", env.live.taps[0]);
	env.live.trace = env.run.trace;
	env.live.status = stderr;
	env.live.terminal = isatty(STDERR_FILENO);
	if (load(&scenario, env.configs[0], true, &diag) ||
		live_run(&scenario, &env.live, &outcome, &diag))
		return fail(diag.text);
	if (env.json) {
		status = print_json(live_json(&outcome));
	} else {
		live_text(&outcome, stdout);
		status = finish(true);
	}
	if (status == EXIT_COMPLETE && (outcome.gone || outcome.trace_lost))
		status = EXIT_PARTIAL;
	live_release(&outcome);
	return status;
}

static int name_lessons(void)
{
	for (size_t i = 0; lessons[i]; i++)
		printf("%-14s%s\n", lessons[i]->name, lessons[i]->about);
	return finish(true);
}

static int lesson(void)
{
	const struct lesson *lesson;
	struct diag diag;

	if (env.config_count > 1 || env.set_count || env.json || env.run.trace || env.help_config ||
		has_live_options())
		return usage_error("lesson takes a lesson's name and no option", "");
	if (!env.config_count)
		return name_lessons();
	lesson = lesson_find(env.configs[0]);
	if (!lesson)
		return usage_error("there is no such lesson: ", env.configs[0]);
	if (lesson_give(lesson, stdout, &diag))
		return fail(diag.text);
	return finish(true);
}

static const struct {
	const char *name;
	int (*run)(void);
} commands[] = {
	{ "run", run },
	{ "compare", compare },
	{ "live", live },
	{ "lesson", lesson },
};

int main(int argc, char **argv)
{
	int status;

	if (descriptors_open_missing())
		return fail("/dev/null can't be opened");
	if (argc < 2) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage_text, stdout);
		return finish(true);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		argv[1] = argv[0]; /* by which getopt names the program */
		status = parse(argc - 1, argv + 1);
		if (status < 0)
			status = commands[i].run();
		scenario_shut_down();
		return status;
	}
	return usage_error("unknown command: ", argv[1]);
}
