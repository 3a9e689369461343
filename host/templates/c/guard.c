// Judges commands on top of any Shellward policy. There are no files, no clock and no standard output here: what a
// guard knows it is given.

#include <stdlib.h>
#include <string.h>

#include "bindings/shellward.h"

typedef shellward_policy_commands_command_t command_t;
typedef exports_shellward_policy_rules_finding_t finding_t;

enum {
    ALLOW = SHELLWARD_POLICY_TYPES_DECISION_ALLOW,
    DENY = SHELLWARD_POLICY_TYPES_DECISION_DENY,
};

// What is returned is freed by its caller, so every text is a copy.
static shellward_string_t text(const char *words) {
    shellward_string_t copy;
    shellward_string_dup(&copy, words);
    return copy;
}

static bool is(const shellward_string_t *found, const char *wanted) {
    return found->len == strlen(wanted) && memcmp(found->ptr, wanted, found->len) == 0;
}

static bool has(const command_t *command, const char *wanted) {
    for (size_t i = 0; i < command->words.len; i++) {
        const shellward_option_string_t *value = &command->words.ptr[i].value;
        if (value->is_some && is(&value->val, wanted)) return true;
    }
    return false;
}

// One rule: no forced pushes.
static bool rule(const command_t *command, finding_t *finding) {
    bool forced = has(command, "-f") || has(command, "--force");
    if (!is(&command->program, "git") || !has(command, "push") || !forced) return false;
    *finding = (finding_t){
        .decision = DENY,
        .code = text("forced-push"),
        .message = text("a forced push overwrites what others have pushed"),
        .hint = {true, text("push without --force")},
        .span = {true, command->at},
    };
    return true;
}

bool exports_shellward_policy_rules_describe(shellward_policy_types_json_t *settings,
                                             exports_shellward_policy_rules_manifest_t *manifest,
                                             exports_shellward_policy_rules_list_settings_error_t *errors) {
    (void)settings, (void)errors;
    *manifest = (exports_shellward_policy_rules_manifest_t){
        .name = text("{{name}}"),
        .version = text("0.1.0"),
        .summary = text("Refuses forced pushes."),
        .settings_schema = text("{}"),
    };
    return true;
}

void exports_shellward_policy_rules_review(exports_shellward_policy_rules_request_t *request,
                                           exports_shellward_policy_rules_verdict_t *verdict) {
    *verdict = (exports_shellward_policy_rules_verdict_t){.decision = ALLOW};
    // What cannot be known is the policy's to refuse; deny it here too where this guard must never be got round.
    if (request->analysis.tag == SHELLWARD_POLICY_COMMANDS_ANALYSIS_KNOWN) {
        const shellward_policy_commands_list_command_t *commands = &request->analysis.val.known.commands;
        finding_t *findings = calloc(commands->len + 1, sizeof(finding_t));
        // A guard that traps denies.
        if (findings == NULL) abort();
        verdict->findings.ptr = findings;
        for (size_t i = 0; i < commands->len; i++) {
            if (rule(&commands->ptr[i], &findings[verdict->findings.len])) verdict->findings.len++;
        }
        if (verdict->findings.len > 0) verdict->decision = DENY;
    }
    exports_shellward_policy_rules_request_free(request);
}

// The host runs these when it loads the guard, and refuses it if one comes out otherwise.
static const struct {
    const char *command;
    uint8_t expect;
} EXAMPLES[] = {
    {"git push --force origin main", DENY},
    {"cd src && sh -c 'git push -f'", DENY},
    {"git push origin main", ALLOW},
    {"echo git push --force", ALLOW},
};

void exports_shellward_policy_cases_examples(exports_shellward_policy_cases_list_example_t *examples) {
    examples->len = sizeof(EXAMPLES) / sizeof(EXAMPLES[0]);
    examples->ptr = calloc(examples->len, sizeof(*examples->ptr));
    if (examples->ptr == NULL) abort();
    for (size_t i = 0; i < examples->len; i++) {
        examples->ptr[i].command = text(EXAMPLES[i].command);
        examples->ptr[i].expect = EXAMPLES[i].expect;
    }
}
