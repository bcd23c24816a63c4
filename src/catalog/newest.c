#include "catalog/newest.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"
#include "io/file.h"

enum { HINT_SIZE_MAX = 4096 };

static const char *const suffixes[] = {".metadata.json", ".gz.metadata.json", ".metadata.json.gz",
                                       ".zst.metadata.json"};

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text);
    const size_t end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static bool is_metadata_file(const char *location)
{
    return ends_with(location, ".json") || ends_with(location, ".metadata.json.gz");
}

/* v<N>.metadata.json or <N>-<uuid>.metadata.json, also compressed; -1 for other names. Versions are
 * 64-bit: some writers number by time. */
static int64_t version_of_name(const char *name)
{
    const bool hadoop = *name == 'v';
    const char *digits = hadoop ? name + 1 : name;
    const size_t count = strspn(digits, "0123456789");
    const char *rest = digits + count;
    int64_t version = 0;
    if (count == 0 || !is_metadata_file(name) || (hadoop ? *rest != '.' : *rest != '-'))
        return -1;
    return frz_number_parse_i64(digits, count, &version) ? version : -1;
}

/* The file v<N> in any of its spellings; *out NULL when there is none. */
static frz_status find_version(frz_io *io, frz_arena *arena, const char *folder, int64_t version,
                               const char **out, frz_error **err)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        uint64_t size = 0;
        frz_error *absent = NULL;
        const char *path =
            frz_arena_printf(arena, "%s/v%lld%s", folder, (long long)version, suffixes[i]);
        if (!path)
            return frz_fail_memory(err);
        const frz_status status = frz_io_stat(io, path, &size, &absent);
        if (status == FRZ_OK) {
            *out = path;
            return FRZ_OK;
        }
        if (status != FRZ_NOT_FOUND) {
            const frz_status failed =
                frz_fail(err, status, FRZ_NO_OFFSET, "%s", frz_error_message(absent));
            frz_error_free(absent);
            return failed;
        }
        frz_error_free(absent);
    }
    return FRZ_OK;
}

/* The text of version-hint.text without surrounding blanks; *out NULL when there is no such file.
 */
static frz_status read_hint(frz_io *io, frz_arena *arena, const char *folder, const char **out,
                            frz_error **err)
{
    frz_buffer text = {0};
    frz_error *absent = NULL;
    const char *path = frz_arena_printf(arena, "%s/version-hint.text", folder);
    if (!path)
        return frz_fail_memory(err);
    frz_status status = frz_io_read_file(io, path, HINT_SIZE_MAX, &text, &absent);
    *out = NULL;
    if (status == FRZ_OK) {
        size_t start = 0;
        size_t end = text.size;
        while (end > 0 && strchr(" \t\r\n", text.data[end - 1]))
            end--;
        while (start < end && strchr(" \t\r\n", text.data[start]))
            start++;
        *out =
            frz_arena_text_n(arena, text.data ? text.data + start : (const void *)"", end - start);
        if (!*out)
            status = frz_fail_memory(err);
    } else if (status == FRZ_NOT_FOUND) {
        status = FRZ_OK;
    } else {
        status = frz_fail(err, status, FRZ_NO_OFFSET, "%s", frz_error_message(absent));
    }
    frz_error_free(absent);
    frz_buffer_clear(&text);
    return status;
}

typedef struct version_search {
    frz_arena *arena;
    bool hinted;     /* only v<N>: the names that a hint speaks of */
    int64_t version; /* the highest so far; -1 = none */
    const char *path;
    const char *rival; /* another file of the same version */
} version_search;

static frz_status visit(void *context, const char *location, uint64_t size, int64_t modified_ms,
                        frz_error **err)
{
    version_search *search = context;
    const char *slash = strrchr(location, '/');
    const char *name = slash ? slash + 1 : location;
    const int64_t version = version_of_name(name);
    (void)size;
    (void)modified_ms;
    if (version < 0 || version < search->version || (search->hinted && *name != 'v'))
        return FRZ_OK;
    const char *copy = frz_arena_text(search->arena, location);
    if (!copy)
        return frz_fail_memory(err);
    search->rival = version == search->version ? search->path : NULL;
    search->path = copy;
    search->version = version;
    return FRZ_OK;
}

/* The highest version that the search finds; its path stays as it was when there is none. */
static frz_status search_folder(frz_io *io, const char *folder, version_search *search,
                                frz_error **err)
{
    FRZ_TRY(frz_io_list(io, folder, visit, search, err));
    if (search->rival) {
        const bool swap = strcmp(search->path, search->rival) < 0;
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "two metadata files have the highest version %lld: %s and %s; name one",
                        (long long)search->version, swap ? search->path : search->rival,
                        swap ? search->rival : search->path);
    }
    return FRZ_OK;
}

/*
 * "File System Tables": the hint may lag behind the last commit, also over versions that were
 * cleaned away, and a table never goes back to a lower version. *out NULL when the hint leads
 * nowhere.
 */
static frz_status follow_hint(frz_io *io, frz_arena *arena, const char *folder, const char *hint,
                              const char **out, frz_error **err)
{
    version_search search = {.arena = arena, .hinted = true};
    const char *hinted = NULL;
    if (!frz_number_parse_i64(hint, strlen(hint), &search.version)) {
        if (!is_metadata_file(hint))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "%s/version-hint.text: expected a version, got \"%s\"", folder, hint);
        *out = strchr(hint, '/') ? hint : frz_arena_printf(arena, "%s/%s", folder, hint);
        return *out ? FRZ_OK : frz_fail_memory(err);
    }
    FRZ_TRY(find_version(io, arena, folder, search.version, &hinted, err));
    if (hinted && search.version < INT64_MAX) {
        search.version++; /* only what is above the hint */
        FRZ_TRY(search_folder(io, folder, &search, err));
    }
    *out = search.path ? search.path : hinted;
    return FRZ_OK;
}

frz_status frz_metadata_newest(frz_io *io, const char *location, char **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    const char *found = location;

    if (!is_metadata_file(location)) {
        const char *hint = NULL;
        size_t size = strlen(location);
        while (size > 1 && location[size - 1] == '/')
            size--;
        const char *folder = frz_arena_printf(&arena, "%.*s/metadata", (int)size, location);
        if (!folder) {
            status = frz_fail_memory(err);
            goto done;
        }
        found = NULL;
        FRZ_TRY_DONE(read_hint(io, &arena, folder, &hint, err));
        if (hint)
            FRZ_TRY_DONE(follow_hint(io, &arena, folder, hint, &found, err));
        if (!found) {
            version_search search = {.arena = &arena, .version = -1};
            FRZ_TRY_DONE(search_folder(io, folder, &search, err));
            found = search.path;
        }
        if (!found) {
            status =
                frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "%s holds no metadata file", folder);
            goto done;
        }
    }
    char *copy = frz_copy_text(found);
    if (!copy) {
        status = frz_fail_memory(err);
        goto done;
    }
    *out = copy;

done:
    frz_arena_clear(&arena);
    return status;
}
