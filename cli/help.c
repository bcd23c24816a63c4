#include "help.h"

#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "verbs.h"

static const char *const exit_statuses[][2] = {
    {"0", "success"},
    {"1", "failure of storage, memory or another kind"},
    {"2", "usage: an option, an expression or a value of an input is wrong"},
    {"3", "conflict: another commit won; nothing was changed, a retry is safe"},
    {"4", "not found: no such file, table, namespace, snapshot or ref"},
    {"5", "permission denied"},
    {"6", "the state of the commit is unknown: it may have happened; nothing was removed"},
    {"7", "corrupt or unsupported data"},
    {"8", "network"},
};
enum { EXIT_STATUS_COUNT = sizeof exit_statuses / sizeof exit_statuses[0] };

/* What E stands for in options (docs/guide-conditions.md). */
static const char conditions[] =
    "COLUMN =, <>, <, <=, > or >= a LITERAL or another COLUMN; COLUMN [not] in (LITERAL, ...),\n"
    "[not] between A and B, [not] like 'a%_', [not] starts with 'a', is [not] null, is [not] nan;\n"
    "joined by and, or, not, ( ). Columns: a, \"a b\", s.field, list[0], map['key'], size(list).\n"
    "Literals: 'text', 12.5, true, date '2026-11-30', timestamp '2026-11-30T12:00:00', X'00ff'.\n"
    "A row passes where the condition is true: what is compared with null is not.";

static bool takes_condition(const cli_command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].value && strcmp(command->options[i].value, "E") == 0)
            return true;
    return false;
}

void help_overview(FILE *out)
{
    (void)fputs("frazil: create, read, write and explain Apache Iceberg tables\n\n"
                "usage: frazil COMMAND [ARGUMENT...] [OPTION...]\n\ncommands:\n",
                out);
    for (size_t i = 0; i < cli_command_count; i++)
        (void)fprintf(out, "  %-22s %s\n", cli_commands[i].name, cli_commands[i].summary);
    (void)fputs(
        "\n\"frazil help COMMAND\" or \"frazil COMMAND --help\" shows its options and an example.\n"
        "\"frazil --version\" prints the version.\n",
        out);
}

static void print_options(FILE *out, const cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s%s", options[i].name, options[i].value ? " " : "",
                       options[i].value ? options[i].value : "");
        (void)fprintf(out, "  %-26s %s%s\n", name, options[i].help,
                      options[i].repeated ? " (repeatable)" : "");
    }
}

void help_command(const cli_command *command)
{
    (void)printf("usage: frazil %s%s%s%s\n\n%s\n", command->name, *command->arguments ? " " : "",
                 command->arguments, command->option_count ? " [OPTION...]" : "", command->summary);
    if (command->detail)
        (void)printf("\n%s\n", command->detail);
    if (command->option_count) {
        (void)puts("\noptions:");
        print_options(stdout, command->options, command->option_count);
    }
    (void)puts("\noptions of every command:");
    print_options(stdout, cli_global_options, cli_global_option_count);
    if (takes_condition(command))
        (void)printf("\nconditions (E):\n%s\n", conditions);
    (void)printf("\nexample:\n  %s\n", command->example);
}

/* Edit distance, cut off: for "did you mean". */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t row[LONGEST + 1];
    const size_t b_size = strlen(b);
    if (b_size > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= b_size; k++)
        row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b_size; k++) {
            const size_t changed = diagonal + (a[i] != b[k]);
            diagonal = row[k + 1];
            size_t best = row[k] < diagonal ? row[k] : diagonal;
            best++;
            row[k + 1] = changed < best ? changed : best;
        }
    }
    return row[b_size];
}

frz_status help_unknown(const char *word, frz_error **err)
{
    char near[256] = "";
    size_t size = 0;
    for (size_t i = 0; i < cli_command_count && size < sizeof near; i++) {
        const char *name = cli_commands[i].name;
        if (distance(word, name) > 2 && strncmp(word, name, strlen(word)) != 0)
            continue;
        size += (size_t)snprintf(near + size, sizeof near - size, "%s\"%s\"",
                                 size ? ", " : "; did you mean ", name);
    }
    return frz_error_raise(err, FRZ_INVALID, "no command \"%s\"%s; see frazil help", word, near);
}

frz_status cmd_help(cli_session *session, frz_error **err)
{
    char name[64];
    if (session->argument_count == 0) {
        help_overview(stdout);
        return print_flush(err);
    }
    (void)snprintf(name, sizeof name, "%s%s%s", session->arguments[0],
                   session->argument_count == 2 ? " " : "",
                   session->argument_count == 2 ? session->arguments[1] : "");
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            help_command(&cli_commands[i]);
            return print_flush(err);
        }
    }
    return help_unknown(name, err);
}

/* Text in troff: hyphens and backslashes escaped, a leading dot or quote guarded. */
static void troff(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            (void)fputs("\\e", stdout);
        else if (*c == '-')
            (void)fputs("\\-", stdout);
        else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            (void)printf("\\&%c", *c);
        else
            (void)fputc(*c, stdout);
    }
}

static void troff_options(const cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)fputs(".TP\n.B ", stdout);
        troff(options[i].name);
        if (options[i].value) {
            (void)fputs(" \\fI", stdout);
            troff(options[i].value);
            (void)fputs("\\fR", stdout);
        }
        (void)fputc('\n', stdout);
        troff(options[i].help);
        (void)puts(options[i].repeated ? " (repeatable)" : "");
    }
}

static void troff_command(const cli_command *command)
{
    (void)printf(".SS %s %s\n", command->name, command->arguments);
    troff(command->summary);
    (void)fputs(".\n", stdout);
    if (command->detail) {
        (void)fputs(".PP\n", stdout);
        troff(command->detail);
        (void)fputc('\n', stdout);
    }
    troff_options(command->options, command->option_count);
    (void)fputs(".PP\nExample:\n.PP\n.EX\n", stdout);
    troff(command->example);
    (void)fputs("\n.EE\n", stdout);
}

frz_status cmd_man(cli_session *session, frz_error **err)
{
    (void)session;
    (void)printf(".TH FRAZIL 1 \"\" \"frazil %s\" \"User Commands\"\n", frz_version());
    (void)fputs(".SH NAME\nfrazil \\- create, read, write and explain Apache Iceberg tables\n"
                ".SH SYNOPSIS\n.B frazil\n.I COMMAND\n[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
                ".SH DESCRIPTION\nfrazil works on Apache Iceberg tables, format versions 1 to 3, "
                "without a\n"
                "JVM. With nothing configured it keeps an embedded catalog in "
                "./warehouse/catalog.db, which\n"
                "PyIceberg and Java open too.\n.SH OPTIONS\n",
                stdout);
    troff_options(cli_global_options, cli_global_option_count);
    (void)fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; i < cli_command_count; i++)
        troff_command(&cli_commands[i]);
    (void)fputs(".SH CONDITIONS\nWhere an option takes \\fIE\\fR:\n.PP\n", stdout);
    troff(conditions);
    (void)fputs("\n.SH EXIT STATUS\n", stdout);
    for (size_t i = 0; i < EXIT_STATUS_COUNT; i++)
        (void)printf(".TP\n.B %s\n%s\n", exit_statuses[i][0], exit_statuses[i][1]);
    (void)fputs(
        ".SH ENVIRONMENT\n.TP\n.B FRAZIL_CATALOG\nname of the catalog\n.TP\n.B FRAZIL_WAREHOUSE\n"
        "its warehouse\n.TP\n.B PYICEBERG_*\nread as PyIceberg reads them\n.TP\n.B NO_COLOR\n"
        "no colours\n.SH FILES\n.TP\n.I $XDG_CONFIG_HOME/frazil/config.yaml\n.TP\n"
        ".I .pyiceberg.yaml\ncatalogs and their properties\n",
        stdout);
    return print_flush(err);
}

static void print_words(const cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)printf(" %s", options[i].name);
}

static void complete_bash(void)
{
    (void)fputs(
        "_frazil() {\n    local current=${COMP_WORDS[COMP_CWORD]} command=\"${COMP_WORDS[1]}\"\n"
        "    case \"$command ${COMP_WORDS[2]:-}\" in\n"
        "        \"create namespace\"|\"drop table\"|\"drop namespace\") command=\"$command "
        "${COMP_WORDS[2]}\" ;;\n    esac\n    local words=\"\"\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
        stdout);
    for (size_t i = 0; i < cli_command_count; i++)
        if (!strchr(cli_commands[i].name, ' '))
            (void)printf("%s ", cli_commands[i].name);
    (void)fputs("drop\"\n    else\n        case \"$command\" in\n", stdout);
    for (size_t i = 0; i < cli_command_count; i++) {
        (void)printf("            \"%s\") words=\"", cli_commands[i].name);
        print_words(cli_commands[i].options, cli_commands[i].option_count);
        print_words(cli_global_options, cli_global_option_count);
        (void)fputs("\" ;;\n", stdout);
    }
    (void)fputs(
        "            drop) words=\"table namespace\" ;;\n        esac\n    fi\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "    case \"$current\" in -*) ;; *) [ \"$COMP_CWORD\" -gt 1 ] && "
        "COMPREPLY+=($(compgen -f -- \"$current\")) ;; esac\n}\ncomplete -F _frazil frazil\n",
        stdout);
}

static void complete_fish(void)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = &cli_commands[i];
        if (strchr(command->name, ' '))
            continue;
        (void)printf("complete -c frazil -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name,
                     command->summary);
        for (size_t k = 0; k < command->option_count; k++)
            (void)printf("complete -c frazil -n \"__fish_seen_subcommand_from %s\" -l %s%s\n",
                         command->name, command->options[k].name + 2,
                         command->options[k].value ? " -r" : "");
    }
    for (size_t k = 0; k < cli_global_option_count; k++)
        (void)printf("complete -c frazil -l %s%s\n", cli_global_options[k].name + 2,
                     cli_global_options[k].value ? " -r" : "");
}

frz_status cmd_completion(cli_session *session, frz_error **err)
{
    const char *shell = session->arguments[0];
    if (strcmp(shell, "zsh") == 0)
        (void)fputs("#compdef frazil\nautoload -U +X bashcompinit && bashcompinit\n", stdout);
    if (strcmp(shell, "bash") == 0 || strcmp(shell, "zsh") == 0)
        complete_bash();
    else if (strcmp(shell, "fish") == 0)
        complete_fish();
    else
        return frz_error_raise(err, FRZ_INVALID,
                               "completion is made for bash, zsh and fish, not \"%s\"", shell);
    return print_flush(err);
}
