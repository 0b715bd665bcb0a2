/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Findings: how a rule's violation is reported, and its text. */
#include "btf/verify/verify_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

const struct btf_rule_info btf_rules[BTF_RULE_COUNT] = {
#define BTF_RULE_ROW(name, code, severity, sentence)                                               \
	[BTF_RULE_##name] = { code, sentence, BTF_RULE_##severity },
	BTF_RULES(BTF_RULE_ROW)
#undef BTF_RULE_ROW
};

bool verify_report_text(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t element,
			uint32_t value, const char *text)
{
	struct btf_findings *findings = v->findings;
	struct btf_finding finding = { id, rule, element, value, text };

	assert(id == 0 || id >= v->btf->first_id);
	if (btf_rules[rule].severity == BTF_RULE_ERROR)
		findings->errors++;
	else if (v->options->errors_only)
		return false;
	else
		findings->warnings++;
	if (!v->options->limit || findings->count < v->options->limit)
		array_push(findings, finding);
	return false;
}

bool verify_report(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t element,
		   uint32_t value)
{
	return verify_report_text(v, rule, id, element, value, NULL);
}

void btf_findings_release(struct btf_findings *findings)
{
	free(findings->data);
	*findings = (struct btf_findings){ 0 };
}

static const char *element_label(uint32_t info)
{
	static const char *const labels[BTF_ROW_COUNT] = {
		[BTF_STRUCT] = "member", [BTF_UNION] = "member",
		[BTF_ENUM] = "enumerator", [BTF_ENUM64] = "enumerator",
		[BTF_FUNC] = "parameter", [BTF_FUNC_PROTO] = "parameter",
		[BTF_LOC_PROTO] = "parameter", [BTF_LOC] = "parameter",
		[BTF_LOCSEC] = "site", [BTF_FUNC_DATASEC] = "site",
	};
	const char *label = labels[btf_kind_of(info) - btf_kinds];

	return label ? label : "entry";
}

static const char *string_or(const struct btf_reader *btf, uint32_t offset, const char *otherwise)
{
	const char *string = offset ? btf_reader_string(btf, offset) : NULL;

	return string ? string : otherwise;
}

int btf_finding_text(const struct btf_reader *btf, const struct btf_finding *finding, char *buffer,
		     size_t bytes)
{
	const struct btf_rule_info *rule = &btf_rules[finding->rule];
	const uint32_t *record = btf_reader_type(btf, finding->type_id);
	uint32_t info = record ? record[BTF_WORD_INFO] : 0;
	const struct btf_kind_info *kind = btf_kind_of(info);
	struct text text = { 0 };
	int length;

	if (record)
		text_add_format(&text, "[%u] %s '%.512s': ", finding->type_id, kind->name,
				string_or(btf, record[BTF_WORD_NAME], "(anon)"));
	else if (finding->type_id)
		text_add_format(&text, "[%u] (broken record): ", finding->type_id);
	text_add_format(&text, "%s%s: %s (", rule->severity == BTF_RULE_WARNING ? "warning: " : "",
			rule->code, rule->sentence);
	if (finding->element != BTF_NO_ELEMENT) {
		text_add_format(&text, "%s %u", element_label(info), finding->element + 1);
		if (record && kind->element_name_word != BTF_NO_WORD)
			text_add_format(&text, " '%.512s'", string_or(btf,
				record[btf_name_word(kind, finding->element + 1)], "(anon)"));
		text_add_string(&text, ": ");
	}
	text_add_format(&text, "%u", finding->value);
	if (finding->text)
		text_add_format(&text, " '%.512s'", finding->text);
	/* The names are mostly what is wrong. */
	text_clean(text.data, text.count);
	length = snprintf(buffer, bytes, "%.*s)", (int)text.count, text.data);
	array_release(&text);
	return length;
}
