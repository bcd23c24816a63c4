/*
 * The floor of reading and writing Parquet: the pages of some columns, decompressed, or compressed
 * again, and nothing done with them.
 */
#ifndef FRZ_BENCH_PAGES_H
#define FRZ_BENCH_PAGES_H

#include "base/buffer.h"
#include "base/codec.h"

typedef struct bench_page {
    frz_codec codec;
    frz_slice packed; /* in bench_pages.packed */
    frz_slice plain;  /* in bench_pages.plain */
} bench_page;

typedef struct bench_pages {
    const char *path;
    frz_buffer file; /* all of it */
    frz_buffer plain;
    bench_page *items;
    size_t count;
    frz_codec_context codecs;
    frz_buffer scratch;
} bench_pages;

/* The pages of the named columns (NULL ends them; the first NULL = all) of a local file. */
void bench_pages_load(bench_pages *pages, const char *path, const char *const *columns);
void bench_pages_clear(bench_pages *pages);

/* Sides of a comparison; `context` is the pages. */
double bench_pages_decompress(void *context);
double bench_pages_compress(void *context);

#endif
