#include "maintenance/claims.h"

#include "base/fail.h"
#include "parquet/page_index.h"
#include "scan/parquet_stats.h"

/* A copy of a bound that outlives the file; false when it tells nothing. */
static bool keep_bound(const frz_parquet_node *node, const frz_type *type, frz_slice bytes,
                       frz_arena *arena, frz_value *out, bool *short_out)
{
    frz_slice kept = {0};
    if (!frz_arena_slice(arena, bytes, &kept)) {
        *short_out = true;
        return false;
    }
    return frz_parquet_bound(node, kept, type, out);
}

frz_status frz_claims_of_groups(const frz_parquet_file *file, const frz_parquet_node *node,
                                const frz_type *type, frz_arena *arena, frz_claims *out,
                                frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    bool is_short = false;
    *out = (frz_claims){.count = metadata->row_group_count};
    out->items = frz_arena_array(arena, metadata->row_group_count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    for (size_t i = 0; i < out->count; i++) {
        const frz_parquet_row_group *group = &metadata->row_groups[i];
        const frz_parquet_statistics *stated = &group->columns[node->leaf_index].statistics;
        frz_claim *claim = &out->items[i];
        *claim = (frz_claim){.end = group->first_row + group->row_count,
                             .null_count = node->max_definition ? stated->null_count : -1};
        claim->has_lower =
            stated->has_min && keep_bound(node, type, stated->min, arena, &claim->lower, &is_short);
        claim->has_upper =
            stated->has_max && keep_bound(node, type, stated->max, arena, &claim->upper, &is_short);
    }
    return is_short ? frz_fail_memory(err) : FRZ_OK;
}

/* Of the pages of one row group, behind those that are there. */
static void add_pages(frz_claims *claims, const frz_parquet_page_index *index,
                      const frz_parquet_row_group *group, const frz_parquet_node *node,
                      const frz_type *type)
{
    for (size_t i = 0; i < index->page_count; i++) {
        const frz_parquet_page_bounds *stated = &index->bounds[i];
        const int64_t first = index->locations[i].first_row;
        const int64_t end =
            i + 1 < index->page_count ? index->locations[i + 1].first_row : group->row_count;
        frz_claim *claim = &claims->items[claims->count++];
        *claim = (frz_claim){.end = group->first_row + end,
                             .null_count = stated->all_null       ? end - first
                                           : node->max_definition ? stated->null_count
                                                                  : -1};
        claim->has_lower =
            stated->has_bounds && frz_parquet_bound(node, stated->min, type, &claim->lower);
        claim->has_upper =
            stated->has_bounds && frz_parquet_bound(node, stated->max, type, &claim->upper);
    }
}

frz_status frz_claims_of_pages(frz_parquet_file *file, const frz_parquet_node *node,
                               const frz_type *type, frz_arena *arena, frz_claims *out,
                               frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const size_t groups = metadata->row_group_count;
    const frz_parquet_index_wish wish = {.arena = arena, .bounds = true};
    size_t pages = 0;
    frz_parquet_page_index *indexes = frz_arena_array(arena, groups, sizeof *indexes);
    if (!indexes)
        return frz_fail_memory(err);
    for (size_t i = 0; i < groups; i++) {
        FRZ_TRY(frz_parquet_page_index_find(file, i, (size_t)node->leaf_index, &wish, &indexes[i],
                                            err));
        pages += indexes[i].page_count + 1;
    }
    *out = (frz_claims){.items = frz_arena_array(arena, pages, sizeof *out->items)};
    if (!out->items)
        return frz_fail_memory(err);
    for (size_t i = 0; i < groups; i++) {
        const frz_parquet_row_group *group = &metadata->row_groups[i];
        if (indexes[i].page_count && indexes[i].bounds && indexes[i].locations)
            add_pages(out, &indexes[i], group, node, type);
        else
            out->items[out->count++] =
                (frz_claim){.end = group->first_row + group->row_count, .null_count = -1};
    }
    return FRZ_OK;
}

static bool is_within(const frz_claim *claim, const frz_value *lower, const frz_value *upper)
{
    return (!lower || frz_value_compare(&claim->lower, lower) >= 0) &&
           (!upper || frz_value_compare(&claim->upper, upper) <= 0);
}

void frz_claims_nest(frz_claims *self, const frz_claims *outer, const frz_value *lower,
                     const frz_value *upper)
{
    size_t around = 0;
    for (size_t i = 0; i < self->count; i++) {
        frz_claim *claim = &self->items[i];
        while (around < outer->count && outer->items[around].end < claim->end)
            around++;
        const frz_claim *wide = around < outer->count ? &outer->items[around] : NULL;
        claim->settles = claim->has_lower && claim->has_upper && is_within(claim, lower, upper) &&
                         (!wide || is_within(claim, wide->has_lower ? &wide->lower : NULL,
                                             wide->has_upper ? &wide->upper : NULL));
    }
}

bool frz_claims_take(frz_claims *self, const frz_value *value, bool settled)
{
    while (self->at < self->count && self->items[self->at].end <= self->row)
        self->at++;
    self->row++;
    if (self->at == self->count)
        return settled;
    frz_claim *claim = &self->items[self->at];
    if (value->form == FRZ_VALUE_NULL) {
        claim->nulls++;
        return false;
    }
    if (settled || frz_value_is_nan(value))
        return settled;
    if ((claim->has_lower && frz_value_compare(value, &claim->lower) < 0) ||
        (claim->has_upper && frz_value_compare(value, &claim->upper) > 0)) {
        claim->outside++;
        return false;
    }
    return claim->settles;
}

const frz_claim *frz_claims_find_wrong(const frz_claims *self)
{
    for (size_t i = 0; i < self->count; i++) {
        const frz_claim *claim = &self->items[i];
        if (claim->outside || (claim->null_count >= 0 && claim->null_count != claim->nulls))
            return claim;
    }
    return NULL;
}
