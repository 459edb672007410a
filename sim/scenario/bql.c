/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of byte queue limits: what the profile decides, and what doesn't go together. */
#include "setting.h"

#include "dql.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

int setting_settle_bql(struct scenario_driver *driver, const struct host_kernel *kernel,
	const char *place, struct diag *diag)
{
	char *bql = driver->bql;
	uint64_t least = driver->bql_limit_min, most = driver->bql_limit_max;

	if (!strcmp(bql, "auto"))
		strcpy(bql, kernel->bql && host_kernel_find(driver->profile)->bql ? "on" : "off");
	if (least > most)
		return diag_set(diag, -EINVAL,
			"%s: driver.bql_limit_min: %" PRIu64 ": more than bql_limit_max, %" PRIu64,
			place, least, most);
	if (!strcmp(bql, "off") && (least || most != DQL_LIMIT_MOST))
		return diag_set(diag, -EINVAL,
			"%s: driver.%s: there are no byte queue limits: driver.bql is off", place,
			least ? "bql_limit_min" : "bql_limit_max");
	return 0;
}
