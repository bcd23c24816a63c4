#include "base/limits.h"

const frz_limits frz_limits_default = {
    .nesting_depth = 128,
    .metadata_size = (size_t)1 << 30,
    .avro_header_size = (size_t)64 << 20,
    .avro_block_size = (size_t)512 << 20,
    .parquet_footer_size = (size_t)512 << 20,
    .parquet_page_size = (size_t)1 << 30,
    .ipc_metadata_size = (size_t)64 << 20,
    .ipc_body_size = (size_t)4 << 30,
    .puffin_footer_size = (size_t)64 << 20,
    .deletion_vector_size = (size_t)1 << 30,
    .equality_delete_memory = (size_t)256 << 20,
    .schema_columns = 100000,
    .parse_budget = (size_t)4 << 30,
};
