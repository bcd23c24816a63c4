#include "pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frazil/io.h"
#include "io/file.h"
#include "measure.h"
#include "parquet/file.h"
#include "parquet/page.h"

static bool is_wanted(const char *name, const char *const *columns)
{
    if (!columns[0])
        return true;
    for (size_t i = 0; columns[i]; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

static void add_page(bench_pages *pages, frz_codec codec, const frz_parquet_page_header *header,
                     const uint8_t *body)
{
    pages->items = realloc(pages->items, (pages->count + 1) * sizeof *pages->items);
    uint8_t *plain = frz_buffer_extend(&pages->plain, header->uncompressed_size);
    frz_error *err = NULL;
    if (!pages->items || !plain)
        exit(1);
    bench_page *page = &pages->items[pages->count++];
    *page = (bench_page){.codec = codec,
                         .packed = frz_slice_of(body, header->compressed_size),
                         .plain = frz_slice_of(NULL, header->uncompressed_size)};
    if (header->compressed_size == header->uncompressed_size)
        page->codec = FRZ_CODEC_NONE;
    bench_must(frz_codec_decompress(&pages->codecs, page->codec, page->packed, plain,
                                    header->uncompressed_size, &err),
               err);
}

static void load_chunk(bench_pages *pages, const frz_parquet_column_chunk *chunk)
{
    const bool dictionary = chunk->dictionary_page_offset >= 0;
    uint64_t at = (uint64_t)(dictionary ? chunk->dictionary_page_offset : chunk->data_page_offset);
    const uint64_t end = at + (uint64_t)chunk->compressed_size;
    frz_error *err = NULL;
    while (at < end) {
        frz_parquet_page_header header;
        bool cut = false;
        const frz_slice bytes = frz_slice_of(pages->file.data + at, pages->file.size - at);
        bench_must(
            frz_parquet_page_header_parse(bytes, at, &frz_limits_default, &header, &cut, &err),
            err);
        add_page(pages, chunk->codec, &header, bytes.data + header.header_size);
        at += header.header_size + header.compressed_size;
    }
}

/* The buffer of plain bytes has moved while it grew. */
static void place_plain(bench_pages *pages)
{
    const uint8_t *at = pages->plain.data;
    for (size_t i = 0; i < pages->count; i++) {
        pages->items[i].plain.data = at;
        at += pages->items[i].plain.size;
    }
}

void bench_pages_load(bench_pages *pages, const char *path, const char *const *columns)
{
    frz_io *io = NULL;
    frz_input *input = NULL;
    frz_parquet_file *file = NULL;
    frz_error *err = NULL;
    pages->path = path;
    bench_must(frz_io_local_new(&io, &err), err);
    bench_must(frz_io_read_file(io, path, SIZE_MAX, &pages->file, &err), err);
    bench_must(frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    bench_must(frz_parquet_file_open(input, NULL, &file, &err), err);
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    for (size_t group = 0; group < metadata->row_group_count; group++)
        for (size_t leaf = 0; leaf < metadata->leaf_count; leaf++)
            if (is_wanted(metadata->leaves[leaf]->name, columns))
                load_chunk(pages, &metadata->row_groups[group].columns[leaf]);
    place_plain(pages);
    frz_parquet_file_close(file);
    frz_input_close(input);
    frz_io_free(io);
}

void bench_pages_clear(bench_pages *pages)
{
    frz_buffer_clear(&pages->file);
    frz_buffer_clear(&pages->plain);
    frz_buffer_clear(&pages->scratch);
    frz_codec_context_clear(&pages->codecs);
    free(pages->items);
    *pages = (bench_pages){0};
}

/* Reads the bytes from the file, as a scan has to. */
double bench_pages_decompress(void *context)
{
    bench_pages *pages = context;
    const double start = bench_processor_ns();
    const int file = open(pages->path, O_RDONLY | O_CLOEXEC);
    frz_error *err = NULL;
    for (size_t i = 0; i < pages->count; i++) {
        const bench_page *page = &pages->items[i];
        frz_buffer_reset(&pages->scratch);
        uint8_t *packed = frz_buffer_extend(&pages->scratch, page->packed.size + page->plain.size);
        const off_t offset = page->packed.data - pages->file.data;
        if (!packed || pread(file, packed, page->packed.size, offset) != (ssize_t)page->packed.size)
            exit(1);
        bench_must(frz_codec_decompress(&pages->codecs, page->codec,
                                        frz_slice_of(packed, page->packed.size),
                                        packed + page->packed.size, page->plain.size, &err),
                   err);
    }
    (void)close(file);
    return bench_processor_ns() - start;
}

double bench_pages_compress(void *context)
{
    bench_pages *pages = context;
    const double start = bench_processor_ns();
    frz_error *err = NULL;
    for (size_t i = 0; i < pages->count; i++) {
        const bench_page *page = &pages->items[i];
        frz_buffer_reset(&pages->scratch);
        bench_must(frz_codec_compress(&pages->codecs, page->codec, FRZ_CODEC_LEVEL_DEFAULT,
                                      page->plain, &pages->scratch, &err),
                   err);
    }
    return bench_processor_ns() - start;
}
