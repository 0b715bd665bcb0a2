/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/encode_options.h"

#include <string.h>

static void switch_set(struct features *features, enum feature_set wanted, bool on)
{
#define X(name, set, text)                                                                         \
	if (FEATURES_##set <= wanted)                                                              \
		features->feature_##name = on;
	FEATURE_LIST(X)
#undef X
}

void features_default(struct features *features)
{
	*features = (struct features){ 0 };
	switch_set(features, FEATURES_DEFAULT, true);
}

void encode_options_default(struct encode_options *options)
{
	features_default(&options->features);
	options->languages = (struct language_set){ .rust = true, .cxx = true };
}

static bool is_word(const char *name, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* Switches a feature, or a set of them; false: there is none of that name. */
static bool apply(struct features *features, const char *name, size_t length, bool on)
{
	bool *feature = NULL;

#define X(id, set, text)                                                                           \
	if (is_word(name, length, #id))                                                            \
		feature = &features->feature_##id;
	FEATURE_LIST(X)
#undef X
	if (is_word(name, length, "default"))
		switch_set(features, FEATURES_DEFAULT, on);
	else if (is_word(name, length, "all"))
		switch_set(features, FEATURES_ALL, on);
	else if (is_word(name, length, "func_secinfo=inline"))
		features->feature_func_secinfo = features->func_secinfo_inline = on;
	else if (feature)
		*feature = on;
	else
		return !length;
	/* Without func_secinfo there are no sites, and a later +func_secinfo does not add them. */
	features->func_secinfo_inline &= features->feature_func_secinfo;
	return true;
}

static bool apply_list(struct features *features, const char *list, bool strict,
		       struct error *err)
{
	for (const char *item = list; *item;) {
		size_t length = strcspn(item, ",");
		bool sign = item[0] == '+' || item[0] == '-';

		if (!apply(features, item + sign, length - sign, item[0] != '-') && strict)
			return error_set(err, "encode: features: '%.*s' is unknown; known are "
					 "default, all"
#define X(feature, set, text) ", " #feature
					 FEATURE_LIST(X)
#undef X
					 , (int)(length - sign), item + sign);
		item += length;
		item += *item == ',';
	}
	features->feature_reproducible_build = true;
	return true;
}

bool features_parse(struct features *features, const char *list, struct error *err)
{
	/* A list that starts with a bare name is complete. */
	if (list[0] != '+' && list[0] != '-')
		*features = (struct features){ 0 };
	return apply_list(features, list, true, err);
}

bool features_add(struct features *features, const char *list, bool strict, struct error *err)
{
	if (list[0] == '+')
		switch_set(features, FEATURES_DEFAULT, true);
	return apply_list(features, list, strict, err);
}

void features_print(FILE *out)
{
#define X(name, set, text)                                                                         \
	fprintf(out, "  %-20s %s%s\n", #name, text,                                                \
		FEATURES_##set == FEATURES_DEFAULT ? " (default)" : "");
	FEATURE_LIST(X)
#undef X
}

void features_print_names(FILE *out)
{
	static const char names[] = ""
#define X(name, set, text) "," #name
		FEATURE_LIST(X)
#undef X
		;

	fprintf(out, "%s\n", names + 1);
}
