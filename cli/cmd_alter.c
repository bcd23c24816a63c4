/*
 * alter: the words behind the table say what is changed. And upgrade.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "changes.h"
#include "print.h"
#include "verbs.h"

/* The words behind those that name the form. */
typedef struct alter_words {
    cli_session *session;
    char **words;
    int count;
    frz_alteration *alteration;
} alter_words;

static frz_status column_options(const cli_session *session, frz_column_options *out,
                                 frz_error **err)
{
    const frz_column_options none = FRZ_COLUMN_OPTIONS_INIT;
    *out = none;
    out->first = session_flag(session, "--first");
    out->after = session_option(session, "--after");
    out->optional = session_flag(session, "--optional");
    out->default_value = session_option(session, "--default");
    out->comment = session_option(session, "--comment");
    if (out->first && out->after)
        return frz_error_raise(err, FRZ_INVALID, "give --first or --after C, not both");
    return FRZ_OK;
}

static bool is_word(const char *word, const char *expected)
{
    return strcasecmp(word, expected) == 0;
}

/* The argument behind `word`, which says it for the first time. */
static frz_status take_text(const alter_words *given, int *at, const char **out, frz_error **err)
{
    const char *word = given->words[*at];
    if (*out)
        return frz_error_raise(err, FRZ_INVALID, "alter: %s is given twice", word);
    if (*at + 1 >= given->count)
        return frz_error_raise(err, FRZ_INVALID, "alter: %s wants a value behind it", word);
    *out = given->words[++*at];
    return FRZ_OK;
}

/* [not null] [default L] [comment C] behind the type, each word an argument of its own; what the
 * shell has taken the quotes of is taken as it stands. */
static frz_status take_attributes(const alter_words *given, int from, frz_column_options *options,
                                  frz_error **err)
{
    frz_status status = FRZ_OK;
    for (int i = from; i < given->count && status == FRZ_OK; i++) {
        const bool more = i + 1 < given->count;
        if (is_word(given->words[i], "not") && more && is_word(given->words[i + 1], "null")) {
            options->required = true;
            i++;
        } else if (is_word(given->words[i], "not null")) {
            options->required = true;
        } else if (is_word(given->words[i], "default")) {
            status = take_text(given, &i, &options->default_value, err);
        } else if (is_word(given->words[i], "comment")) {
            status = take_text(given, &i, &options->comment, err);
        } else {
            status = frz_error_raise(err, FRZ_INVALID,
                                     "alter: \"%s\" is not expected behind a type: not null, "
                                     "default L or comment C",
                                     given->words[i]);
        }
    }
    return status;
}

/* Words from `from` on with blanks between. */
static char *join(const alter_words *given, int from, int to)
{
    size_t size = 1;
    size_t used = 0;
    for (int i = from; i < to; i++)
        size += strlen(given->words[i]) + 1;
    char *text = calloc(size, 1);
    for (int i = from; text && i < to; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > from ? " " : "",
                                 given->words[i]);
    return text;
}

/* Types may be of several words: double precision, timestamp with time zone. */
static int type_end(const alter_words *given, int from)
{
    int at = from;
    while (at < given->count && !is_word(given->words[at], "not") &&
           !is_word(given->words[at], "not null") && !is_word(given->words[at], "default") &&
           !is_word(given->words[at], "comment"))
        at++;
    return at;
}

static frz_status add_column(const alter_words *given, frz_error **err)
{
    frz_column_options options = FRZ_COLUMN_OPTIONS_INIT;
    const int end = type_end(given, 1);
    char *type = join(given, 1, end);
    frz_status status = type ? column_options(given->session, &options, err)
                             : frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    if (status == FRZ_OK)
        status = take_attributes(given, end, &options, err);
    if (status == FRZ_OK)
        status = frz_alter_add_column(given->alteration, given->words[0], type, &options, err);
    free(type);
    return status;
}

static frz_status add_columns_from(const alter_words *given, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    struct ArrowSchema schema = {0};
    frz_io *io = NULL;
    frz_status status = session_io(given->session, &io, err);
    if (status == FRZ_OK)
        status = frz_rows_open(given->words[0], FRZ_ROW_FORMAT_GUESS, NULL, io, &rows, err);
    if (status == FRZ_OK && rows.get_schema(&rows, &schema) != 0)
        status = frz_error_raise(err, FRZ_INVALID, "%s: %s", given->words[0],
                                 rows.get_last_error(&rows));
    if (status == FRZ_OK)
        status = frz_alter_union_columns(given->alteration, &schema, err);
    if (schema.release)
        schema.release(&schema);
    if (rows.release)
        rows.release(&rows);
    return status;
}

static frz_status drop_column(const alter_words *given, frz_error **err)
{
    return frz_alter_drop_column(given->alteration, given->words[0], err);
}

static frz_status rename_column(const alter_words *given, frz_error **err)
{
    if (!is_word(given->words[1], "to"))
        return frz_error_raise(err, FRZ_INVALID,
                               "expected: frazil alter T rename column PATH to "
                               "NAME");
    return frz_alter_rename_column(given->alteration, given->words[0], given->words[2], err);
}

static frz_status move_column(const alter_words *given, frz_error **err)
{
    frz_column_options options = FRZ_COLUMN_OPTIONS_INIT;
    const frz_status status = column_options(given->session, &options, err);
    if (status == FRZ_OK && !options.first && !options.after)
        return frz_error_raise(err, FRZ_INVALID, "alter T move column wants --first or --after C");
    return status == FRZ_OK
               ? frz_alter_move_column(given->alteration, given->words[0], &options, err)
               : status;
}

static frz_status update_column(const alter_words *given, frz_error **err)
{
    frz_column_options options = FRZ_COLUMN_OPTIONS_INIT;
    char *type = given->count > 1 ? join(given, 1, given->count) : NULL;
    frz_status status = column_options(given->session, &options, err);
    if (status == FRZ_OK && given->count > 1 && !type)
        status = frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    if (status == FRZ_OK && !type && !options.optional && !options.default_value &&
        !options.comment)
        status = frz_error_raise(err, FRZ_INVALID,
                                 "alter T update column wants a TYPE, --optional, --default L or "
                                 "--comment C");
    if (status == FRZ_OK)
        status = frz_alter_update_column(given->alteration, given->words[0], type, &options, err);
    free(type);
    return status;
}

/* Ends the path that *rest begins with at the next comma outside of quotes, goes on behind it, and
 * returns the path without the blanks around it. */
static const char *next_path(char **rest)
{
    char *path = *rest + strspn(*rest, " ");
    char quote = '\0';
    char *end = path;
    for (; *end && (quote || *end != ','); end++) {
        if (quote ? *end == quote : *end == '"' || *end == '`')
            quote = quote ? '\0' : *end;
    }
    *rest = end + (*end == ',');
    *end = '\0';
    while (end > path && end[-1] == ' ')
        *--end = '\0';
    return path;
}

/* a,b,c; "" has none. */
static frz_status set_identifier(const alter_words *given, frz_error **err)
{
    char *rest = given->words[0];
    const char **names = calloc(strlen(rest) + 1, sizeof *names);
    size_t count = 0;
    if (!names)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    while (*rest)
        names[count++] = next_path(&rest);
    const frz_status status = frz_alter_set_identifier(given->alteration, names, count, err);
    free(names);
    return status;
}

/* [as N] behind a term. */
static frz_status take_name(const alter_words *given, int from, const char **out, frz_error **err)
{
    *out = NULL;
    if (from == given->count)
        return FRZ_OK;
    if (from + 2 != given->count || !is_word(given->words[from], "as"))
        return frz_error_raise(err, FRZ_INVALID, "alter: behind a term stands as N, not \"%s%s\"",
                               given->words[from], is_word(given->words[from], "as") ? "" : " ...");
    *out = given->words[from + 1];
    return FRZ_OK;
}

static frz_status add_partition(const alter_words *given, frz_error **err)
{
    const char *name = NULL;
    const frz_status status = take_name(given, 1, &name, err);
    return status == FRZ_OK ? frz_alter_add_partition(given->alteration, given->words[0], name, err)
                            : status;
}

static frz_status drop_partition(const alter_words *given, frz_error **err)
{
    return frz_alter_drop_partition(given->alteration, given->words[0], err);
}

static frz_status replace_partition(const alter_words *given, frz_error **err)
{
    const char *name = NULL;
    const frz_status status = take_name(given, 2, &name, err);
    return status == FRZ_OK ? frz_alter_replace_partition(given->alteration, given->words[0],
                                                          given->words[1], name, err)
                            : status;
}

static frz_status set_sort(const alter_words *given, frz_error **err)
{
    const char *terms = given->words[0];
    return frz_alter_set_sort(given->alteration, is_word(terms, "none") ? "" : terms, err);
}

static frz_status set_location(const alter_words *given, frz_error **err)
{
    return frz_alter_set_location(given->alteration, given->words[0], err);
}

enum { TAKES_PLACE = 1, TAKES_OPTIONAL = 2, TAKES_TEXTS = 4 };

static const struct {
    const char *name;
    unsigned bit;
} form_options[] = {{"--first", TAKES_PLACE},
                    {"--after", TAKES_PLACE},
                    {"--optional", TAKES_OPTIONAL},
                    {"--default", TAKES_TEXTS},
                    {"--comment", TAKES_TEXTS}};

static const struct {
    const char *words[3];
    int min; /* arguments behind the words */
    int max;
    unsigned options; /* those that it takes, bits */
    const char *form;
    frz_status (*run)(const alter_words *given, frz_error **err);
} forms[] = {
    {{"add", "columns", "from"}, 1, 1, 0, "add columns from FILE", add_columns_from},
    {{"add", "column"},
     2,
     16,
     TAKES_PLACE | TAKES_TEXTS,
     "add column PATH TYPE [not null] [default L] [comment C] [--first | --after C]",
     add_column},
    {{"drop", "column"}, 1, 1, 0, "drop column PATH", drop_column},
    {{"rename", "column"}, 3, 3, 0, "rename column PATH to NAME", rename_column},
    {{"move", "column"}, 1, 1, TAKES_PLACE, "move column PATH (--first | --after C)", move_column},
    {{"update", "column"},
     1,
     8,
     TAKES_OPTIONAL | TAKES_TEXTS,
     "update column PATH [TYPE] [--optional] [--default L] [--comment C]",
     update_column},
    {{"set", "identifier"}, 1, 1, 0, "set identifier A,B", set_identifier},
    {{"add", "partition", "field"}, 1, 3, 0, "add partition field TERM [as N]", add_partition},
    {{"drop", "partition", "field"}, 1, 1, 0, "drop partition field TERM", drop_partition},
    {{"replace", "partition", "field"},
     2,
     4,
     0,
     "replace partition field OLD TERM [as N]",
     replace_partition},
    {{"set", "sort"}, 1, 1, 0, "set sort 'TERMS'", set_sort},
    {{"set", "location"}, 1, 1, 0, "set location URI", set_location},
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

/* How many words name the form; 0 when they are not these. */
static int match(size_t form, char **words, int count)
{
    int at = 0;
    for (; at < 3 && forms[form].words[at]; at++)
        if (at >= count || !is_word(words[at], forms[form].words[at]))
            return 0;
    return at;
}

static frz_status check_options(const cli_session *session, size_t form, frz_error **err)
{
    for (size_t i = 0; i < sizeof form_options / sizeof form_options[0]; i++)
        if ((forms[form].options & form_options[i].bit) == 0 &&
            session_option(session, form_options[i].name))
            return frz_error_raise(err, FRZ_INVALID, "%s takes no %s; see frazil help alter",
                                   forms[form].form, form_options[i].name);
    return FRZ_OK;
}

static frz_status record(cli_session *session, frz_alteration *alteration, frz_error **err)
{
    char **words = session->arguments + 1;
    const int count = session->argument_count - 1;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        const int size = match(i, words, count);
        const alter_words given = {session, words + size, count - size, alteration};
        if (!size)
            continue;
        if (given.count < forms[i].min || given.count > forms[i].max)
            return frz_error_raise(err, FRZ_INVALID, "expected: frazil alter T %s", forms[i].form);
        const frz_status status = check_options(session, i, err);
        return status == FRZ_OK ? forms[i].run(&given, err) : status;
    }
    return frz_error_raise(err, FRZ_INVALID,
                           "alter T \"%s%s%s\": no such change; see frazil help "
                           "alter",
                           words[0], count > 1 ? " " : "", count > 1 ? words[1] : "");
}

frz_status cmd_alter(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    frz_status status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = record(session, changes.alteration, err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

static frz_status upgrade(cli_session *session, cli_changes *changes, int to, frz_error **err)
{
    const bool json = session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL;
    char *audit = NULL;
    frz_status status = frz_table_upgrade_audit(changes->table, to, json, &audit, err);
    if (status != FRZ_OK)
        return status;
    if (session_flag(session, "--dry-run")) {
        (void)printf("%s%s", audit, json ? "\n" : "");
        status = print_flush(err);
    } else {
        status = frz_alter_upgrade(changes->alteration, to, err);
        if (status == FRZ_OK)
            status = changes_commit(session, changes, audit, err);
    }
    frz_text_free(audit);
    return status;
}

frz_status cmd_upgrade(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    bool given = false;
    int64_t to = 0;
    frz_status status = session_number(session, "--to", &given, &to, err);
    if (status == FRZ_OK && (!given || to < 1 || to > 3))
        status = frz_error_raise(err, FRZ_INVALID, "upgrade wants --to 2 or --to 3");
    if (status == FRZ_OK)
        status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = upgrade(session, &changes, (int)to, err);
    changes_close(&changes);
    return status;
}
