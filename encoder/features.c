/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/features.h"

#include <string.h>

void features_default(struct features *features)
{
#define X(name, on, text) features->feature_##name = on;
	FEATURE_LIST(X)
#undef X
}

static void set_all(struct features *features, bool value)
{
#define X(name, on, text) features->feature_##name = value;
	FEATURE_LIST(X)
#undef X
	features->feature_reproducible_build = true;
}

static bool *find(struct features *features, const char *name, size_t length)
{
#define X(feature, on, text)                                                                       \
	if (strlen(#feature) == length && memcmp(name, #feature, length) == 0)                     \
		return &features->feature_##feature;
	FEATURE_LIST(X)
#undef X
	return NULL;
}

static bool unknown(const char *name, size_t length, struct error *err)
{
	return error_set(err, "encode: --features: '%.*s' is unknown; known are default, all"
#define X(feature, on, text) ", " #feature
			 FEATURE_LIST(X)
#undef X
			 , (int)length, name);
}

bool features_parse(struct features *features, const char *list, struct error *err)
{
	/* A list that starts with a bare name says all that is wanted. */
	if (list[0] != '+' && list[0] != '-')
		set_all(features, false);
	for (const char *item = list; *item;) {
		size_t length = strcspn(item, ",");
		bool sign = item[0] == '+' || item[0] == '-';
		const char *name = item + sign;
		size_t name_length = length - sign;
		bool *feature = find(features, name, name_length);

		if (name_length == 7 && memcmp(name, "default", 7) == 0)
			features_default(features);
		else if (name_length == 3 && memcmp(name, "all", 3) == 0)
			set_all(features, true);
		else if (feature)
			*feature = item[0] != '-';
		else if (length)
			return unknown(name, name_length, err);
		item += length;
		item += *item == ',';
	}
	features->feature_reproducible_build = true;
	return true;
}

void features_print(FILE *out)
{
#define X(name, on, text) fprintf(out, "  %-20s %s%s\n", #name, text, on ? " (default)" : "");
	FEATURE_LIST(X)
#undef X
}
