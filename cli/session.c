#include "session.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

/* Written by the signal handler alone. */
static bool interrupted;

static void on_signal(int signal_number)
{
    (void)signal_number;
    interrupted = true;
}

const bool *session_watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
    return &interrupted;
}

bool session_interrupted(void)
{
    return interrupted;
}

void session_close(cli_session *session)
{
    frz_catalog_free(session->catalog);
    if (session->io != session->local)
        frz_io_free(session->io);
    frz_io_free(session->local);
    free(session->given);
}

const char *session_option(const cli_session *session, const char *name)
{
    for (size_t i = session->given_count; i-- > 0;)
        if (strcmp(session->given[i].name, name) == 0)
            return session->given[i].value;
    return NULL;
}

bool session_flag(const cli_session *session, const char *name)
{
    return session_option(session, name) != NULL;
}

size_t session_options(const cli_session *session, const char *name, const char **values,
                       size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < session->given_count; i++) {
        if (strcmp(session->given[i].name, name) != 0)
            continue;
        if (count < room)
            values[count] = session->given[i].value;
        count++;
    }
    return count;
}

frz_status session_number(const cli_session *session, const char *name, bool *given_out,
                          int64_t *value_out, frz_error **err)
{
    const char *text = session_option(session, name);
    *given_out = text != NULL;
    if (!text)
        return FRZ_OK;
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end)
        return frz_error_raise(err, FRZ_INVALID, "%s wants a whole number, not \"%s\"", name, text);
    *value_out = value;
    return FRZ_OK;
}

frz_status session_mebibytes(const cli_session *session, const char *name, uint64_t max,
                             uint64_t *bytes_out, frz_error **err)
{
    bool given = false;
    int64_t number = 0;
    const frz_status status = session_number(session, name, &given, &number, err);
    if (status != FRZ_OK || !given)
        return status;
    if (number < 1 || (uint64_t)number > max)
        return frz_error_raise(err, FRZ_INVALID, "%s is 1 to %llu MiB, not %lld", name,
                               (unsigned long long)max, (long long)number);
    *bytes_out = (uint64_t)number << 20;
    return FRZ_OK;
}

frz_status session_properties(const cli_session *session, const char *name, frz_option **out,
                              size_t *count_out, frz_error **err)
{
    const size_t count = session_options(session, name, NULL, 0);
    frz_option *options = calloc(count ? count : 1, sizeof *options);
    const char **texts = calloc(count ? count : 1, sizeof *texts);
    frz_status status = FRZ_OK;
    if (!options || !texts) {
        status = frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
        goto done;
    }
    (void)session_options(session, name, texts, count);
    for (size_t i = 0; i < count; i++) {
        assert(texts[i]); /* such an option takes a value */
        /* argv is ours to write to: the '=' becomes the end of the key. */
        char *equals = texts[i] ? strchr(texts[i], '=') : NULL;
        if (!equals || equals == texts[i]) {
            status = frz_error_raise(err, FRZ_INVALID, "%s wants K=V, not \"%s\"", name, texts[i]);
            goto done;
        }
        *equals = '\0';
        options[i] = (frz_option){.key = texts[i], .value = equals + 1};
    }
    *out = options;
    *count_out = count;
    options = NULL;

done:
    free(options);
    free(texts);
    return status;
}

frz_status session_io(cli_session *session, frz_io **out, frz_error **err)
{
    if (!session->io) {
        frz_status status = frz_io_local_new(&session->local, err);
        if (status != FRZ_OK)
            return status;
        frz_option *maps = NULL;
        size_t count = 0;
        status = session_properties(session, "--path-map", &maps, &count, err);
        if (status != FRZ_OK)
            return status;
        frz_path_map *pairs = calloc(count ? count : 1, sizeof *pairs);
        for (size_t i = 0; pairs && i < count; i++)
            pairs[i] = (frz_path_map){.from = maps[i].key, .to = maps[i].value};
        session->io = session->local;
        if (!pairs)
            status = frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
        else if (count)
            status = frz_io_remap_new(session->local, pairs, count, &session->io, err);
        free(pairs);
        free(maps);
        if (status != FRZ_OK)
            return status;
    }
    *out = session->io;
    return FRZ_OK;
}

frz_status session_catalog(cli_session *session, frz_catalog **out, frz_error **err)
{
    if (!session->catalog) {
        frz_option properties[2];
        size_t count = 0;
        const char *const names[2][2] = {{"--uri", "uri"}, {"--warehouse", "warehouse"}};
        for (size_t i = 0; i < 2; i++)
            if (session_option(session, names[i][0]))
                properties[count++] =
                    (frz_option){.key = names[i][1], .value = session_option(session, names[i][0])};
        frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
        options.name = session_option(session, "--catalog");
        options.config_path = session_option(session, "--config");
        options.properties = properties;
        options.property_count = count;
        frz_status status = session_io(session, &options.io, err);
        if (status == FRZ_OK)
            status = frz_catalog_open(&options, &session->catalog, err);
        if (status != FRZ_OK)
            return status;
    }
    *out = session->catalog;
    return FRZ_OK;
}

/* A name has neither a slash nor a metadata file's ending, and is no folder or file that exists. */
static bool is_location(const char *name)
{
    const size_t size = strlen(name);
    static const char ending[] = ".json";
    struct stat info;
    if (strchr(name, '/'))
        return true;
    if (size >= sizeof ending && strcmp(name + size - (sizeof ending - 1), ending) == 0)
        return true;
    return !strchr(name, '.') && stat(name, &info) == 0;
}

frz_status session_split_name(const char *name, char **out, const char **ref_out, frz_error **err)
{
    char *text = strdup(name);
    if (!text)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    char *slash = strrchr(text, '/');
    char *at = strrchr(slash ? slash : text, '@');
    *ref_out = NULL;
    if (at) {
        *at = '\0';
        *ref_out = at + 1;
    }
    *out = text;
    return FRZ_OK;
}

/* As it stands; when nothing is there, without its @ref. */
static frz_status open_location(cli_session *session, const char *name, char *text,
                                const char **ref_out, frz_table **out, frz_error **err)
{
    frz_io *io = NULL;
    frz_status status = session_io(session, &io, err);
    if (status != FRZ_OK)
        return status;
    status = frz_table_open(name, io, out, err);
    if (status == FRZ_NOT_FOUND && *ref_out && frz_table_open(text, io, out, NULL) == FRZ_OK) {
        if (err) {
            frz_error_free(*err);
            *err = NULL;
        }
        return FRZ_OK;
    }
    *ref_out = NULL;
    return status;
}

static frz_status open_name(cli_session *session, const char *identifier, frz_table **out,
                            frz_error **err)
{
    frz_catalog *catalog = NULL;
    const frz_status status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK && session->batch)
        return batch_table(session->batch, catalog, identifier, false, out, err);
    return status == FRZ_OK ? frz_catalog_load_table(catalog, identifier, out, err) : status;
}

frz_status session_table_to_change(cli_session *session, const char *identifier, frz_table **out,
                                   frz_error **err)
{
    frz_catalog *catalog = NULL;
    const frz_status status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK && session->batch)
        return batch_table(session->batch, catalog, identifier, true, out, err);
    return status == FRZ_OK ? frz_catalog_load_table(catalog, identifier, out, err) : status;
}

frz_status session_table(cli_session *session, const char *name, frz_table **out, char **text_out,
                         const char **ref_out, frz_error **err)
{
    char *text = NULL;
    *text_out = NULL;
    frz_status status = session_split_name(name, &text, ref_out, err);
    if (status == FRZ_OK)
        status = is_location(name) ? open_location(session, name, text, ref_out, out, err)
                                   : open_name(session, text, out, err);
    if (status == FRZ_OK)
        *text_out = text;
    else
        free(text);
    return status;
}

frz_status session_whole_table(cli_session *session, frz_table **out, frz_error **err)
{
    char *text = NULL;
    const char *ref = NULL;
    frz_status status = session_table(session, session->arguments[0], out, &text, &ref, err);
    if (status == FRZ_OK && ref) {
        status = frz_error_raise(err, FRZ_INVALID, "%s shows the whole table: it takes no @%s",
                                 session->command->name, ref);
        frz_table_free(*out);
        *out = NULL;
    }
    free(text);
    return status;
}

frz_status session_selector(const cli_session *session, const char *ref, frz_snapshot_selector *out,
                            frz_error **err)
{
    const frz_snapshot_selector none = FRZ_SNAPSHOT_SELECTOR_INIT;
    *out = none;
    const char *as_of = session_option(session, "--as-of");
    const char *named = session_option(session, "--ref");
    const frz_status status =
        session_number(session, "--snapshot-id", &out->has_snapshot_id, &out->snapshot_id, err);
    if (status != FRZ_OK)
        return status;
    out->ref = named ? named : ref;
    if ((out->has_snapshot_id != 0) + (as_of != NULL) + (out->ref != NULL) > 1 || (named && ref))
        return frz_error_raise(
            err, FRZ_INVALID,
            "give one of --snapshot-id, --as-of, --ref and TABLE@REF, not several");
    if (as_of) {
        out->has_as_of_ms = true;
        return frz_time_parse(as_of, &out->as_of_ms, err);
    }
    return FRZ_OK;
}

frz_status session_new_name(const char *name, frz_error **err)
{
    if (!strpbrk(name, "/@"))
        return FRZ_OK;
    return frz_error_raise(err, FRZ_INVALID, "\"%s\" cannot be a name here: it has a / or an @",
                           name);
}
