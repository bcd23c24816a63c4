/*
 * Commands on the catalog: create, list, describe, drop, rename.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print.h"
#include "verbs.h"

static bool wants_json(const cli_session *session)
{
    return session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL;
}

/* {"VERB": "NAME"} or "VERB what NAME". */
static frz_status print_done(const cli_session *session, const char *verb, const char *what,
                             const char *name, frz_error **err)
{
    if (wants_json(session)) {
        (void)printf("{\"%s\": ", verb);
        print_json_text(stdout, name);
        (void)fputs("}\n", stdout);
    } else {
        (void)printf("%s %s %s\n", verb, what, name);
    }
    return print_flush(err);
}

frz_status cmd_create_namespace(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    frz_option *properties = NULL;
    size_t count = 0;
    const char *name = session->arguments[0];
    frz_status status = session_new_name(name, err);
    if (status == FRZ_OK)
        status = session_properties(session, "--property", &properties, &count, err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status = frz_catalog_create_namespace(catalog, name, properties, count, err);
    free(properties);
    return status == FRZ_OK ? print_done(session, "created", "namespace", name, err) : status;
}

frz_status cmd_drop_namespace(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    const char *name = session->arguments[0];
    frz_status status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status = frz_catalog_drop_namespace(catalog, name, err);
    return status == FRZ_OK ? print_done(session, "dropped", "namespace", name, err) : status;
}

/* Asks on a terminal; without one, --yes is needed. */
static frz_status confirm_purge(const cli_session *session, frz_error **err)
{
    if (!session_flag(session, "--purge") || session_flag(session, "--yes"))
        return FRZ_OK;
    if (!isatty(STDIN_FILENO))
        return frz_error_raise(err, FRZ_INVALID,
                               "--purge removes files: without a terminal it wants --yes");
    (void)fprintf(stderr, "remove %s and all its files? [y/N] ", session->arguments[0]);
    const int answer = getchar();
    if (answer == 'y' || answer == 'Y')
        return FRZ_OK;
    return frz_error_raise(err, FRZ_CANCELLED, "not confirmed");
}

frz_status cmd_drop_table(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    const char *name = session->arguments[0];
    frz_status status = confirm_purge(session, err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status = frz_catalog_drop_table(catalog, name, session_flag(session, "--purge"), err);
    return status == FRZ_OK ? print_done(session, "dropped", "table", name, err) : status;
}

frz_status cmd_rename(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    frz_status status = session_new_name(session->arguments[1], err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status =
            frz_catalog_rename_table(catalog, session->arguments[0], session->arguments[1], err);
    return status == FRZ_OK ? print_done(session, "renamed", "table to", session->arguments[1], err)
                            : status;
}

static frz_status print_names(const cli_session *session, const frz_names *names, frz_error **err)
{
    if (wants_json(session)) {
        (void)fputc('[', stdout);
        for (size_t i = 0; i < names->count; i++) {
            (void)fputs(i ? ", " : "", stdout);
            print_json_text(stdout, names->items[i]);
        }
        (void)fputs("]\n", stdout);
    } else {
        for (size_t i = 0; i < names->count; i++)
            (void)puts(names->items[i]);
    }
    return print_flush(err);
}

/* Namespaces below `parent` at any depth, each before its own. Takes what is in `all` along. */
static frz_status list_below(frz_catalog *catalog, const char *parent, frz_names *all,
                             frz_error **err)
{
    frz_names found = {0};
    frz_status status = frz_catalog_list_namespaces(catalog, parent, &found, err);
    for (size_t i = 0; status == FRZ_OK && i < found.count; i++) {
        char **items = realloc(all->items, (all->count + 1) * sizeof *items);
        if (items)
            all->items = items;
        char *name = items ? strdup(found.items[i]) : NULL;
        if (!name) {
            status = frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
            break;
        }
        all->items[all->count++] = name;
        status = list_below(catalog, found.items[i], all, err);
    }
    frz_names_free(&found);
    return status;
}

static frz_status list_namespaces(const cli_session *session, frz_catalog *catalog, frz_error **err)
{
    frz_names all = {0};
    frz_status status = list_below(catalog, NULL, &all, err);
    if (status == FRZ_OK)
        status = print_names(session, &all, err);
    for (size_t i = 0; i < all.count; i++)
        free(all.items[i]);
    free(all.items);
    return status;
}

frz_status cmd_list(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    frz_names names = {0};
    frz_status status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK && session->argument_count == 0)
        return list_namespaces(session, catalog, err);
    if (status == FRZ_OK)
        status = frz_catalog_list_tables(catalog, session->arguments[0], &names, err);
    if (status == FRZ_OK)
        status = print_names(session, &names, err);
    frz_names_free(&names);
    return status;
}

frz_status cmd_describe(cli_session *session, frz_error **err)
{
    frz_table *table = NULL;
    char *text = NULL;
    frz_status status = session_whole_table(session, &table, err);
    if (status == FRZ_OK)
        status = frz_table_describe(table, wants_json(session), &text, err);
    if (status == FRZ_OK)
        status = print_text(session, text, err);
    frz_table_free(table);
    return status;
}
