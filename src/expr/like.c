#include "expr/like.h"

#include "base/fail.h"
#include "base/utf8.h"

/* Drops the escapes of a canonical pattern without wildcards, in place. */
static size_t unescape(uint8_t *text, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        i += text[i] == '\\';
        text[kept++] = text[i];
    }
    return kept;
}

static frz_status fail_escape(uint8_t escape, uint64_t offset, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, offset,
                    "expected %%, _ or %c behind the escape %c of the pattern", escape, escape);
}

frz_status frz_like_rewrite(frz_slice pattern, uint8_t escape, uint64_t offset, frz_arena *arena,
                            frz_slice *out, frz_error **err)
{
    uint8_t *text = frz_arena_array(arena, pattern.size + 1, 2);
    if (!text)
        return frz_fail_memory(err);
    size_t size = 0;
    for (size_t i = 0; i < pattern.size; i++) {
        uint8_t c = pattern.data[i];
        const bool escaped = c == escape;
        if (escaped) {
            c = ++i < pattern.size ? pattern.data[i] : 0;
            if (c != '%' && c != '_' && c != escape)
                return fail_escape(escape, offset, err);
        }
        if (c == '\\' || (escaped && c != escape))
            text[size++] = '\\';
        text[size++] = c;
    }
    *out = frz_slice_of(text, size);
    return FRZ_OK;
}

static bool is_special(uint8_t c)
{
    return c == '%' || c == '_' || c == '\\';
}

/* Copies a pattern with its runs of %% made one %. */
static size_t copy_pattern(frz_slice pattern, uint8_t *text)
{
    size_t size = 0;
    bool run = false;
    for (size_t i = 0; i < pattern.size; i++) {
        const uint8_t c = pattern.data[i];
        if (c == '%' && run)
            continue;
        run = c == '%';
        text[size++] = c;
        if (c == '\\')
            text[size++] = pattern.data[++i];
    }
    return size;
}

frz_status frz_like_parse(frz_slice pattern, uint64_t offset, frz_arena *arena,
                          frz_like_shape *shape_out, frz_slice *text_out, frz_error **err)
{
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] != '\\')
            continue;
        i++;
        if (i == pattern.size || !is_special(pattern.data[i]))
            return fail_escape('\\', offset, err);
    }
    uint8_t *text = frz_arena_alloc(arena, pattern.size);
    if (!text)
        return frz_fail_memory(err);
    size_t size = copy_pattern(pattern, text);
    size_t wildcard = 0;
    while (wildcard < size && text[wildcard] != '%' && text[wildcard] != '_')
        wildcard += text[wildcard] == '\\' ? 2 : 1;
    *shape_out = FRZ_LIKE_GENERAL;
    if (wildcard == size || (text[wildcard] == '%' && wildcard + 1 == size)) {
        *shape_out = wildcard == size ? FRZ_LIKE_EXACT : FRZ_LIKE_PREFIX;
        size = unescape(text, wildcard);
    }
    *text_out = frz_slice_of(text, size);
    return FRZ_OK;
}

/* Behind the character that starts at `at`; a stray byte counts as one. */
static size_t next_character(frz_slice text, size_t at)
{
    at++;
    while (at < text.size && frz_utf8_is_tail(text.data[at]))
        at++;
    return at;
}

/* Matches one pattern item (not %) at both positions, and moves them on. */
static bool match_item(frz_slice pattern, size_t *p, frz_slice text, size_t *t)
{
    if (*t >= text.size)
        return false;
    uint8_t c = pattern.data[*p];
    if (c == '_') {
        *t = next_character(text, *t);
        ++*p;
        return true;
    }
    if (c == '\\' && *p + 1 < pattern.size) {
        if (text.data[*t] != pattern.data[*p + 1])
            return false;
        *p += 2;
        ++*t;
        return true;
    }
    if (text.data[*t] != c)
        return false;
    ++*p;
    ++*t;
    return true;
}

bool frz_like_match(frz_slice pattern, frz_slice text)
{
    size_t p = 0;
    size_t t = 0;
    size_t run = SIZE_MAX; /* behind the last % seen; only that one ever needs another try */
    size_t retry = 0;
    for (;;) {
        if (p < pattern.size && pattern.data[p] == '%') {
            run = ++p;
            retry = t;
        } else if (p == pattern.size && t == text.size) {
            return true;
        } else if (p < pattern.size && match_item(pattern, &p, text, &t)) {
            continue;
        } else if (run == SIZE_MAX || retry >= text.size) {
            return false;
        } else {
            retry = next_character(text, retry);
            p = run;
            t = retry;
        }
    }
}

frz_slice frz_like_prefix(frz_slice pattern)
{
    size_t size = 0;
    while (size < pattern.size && !is_special(pattern.data[size]))
        size++;
    return frz_slice_of(pattern.data, size);
}
