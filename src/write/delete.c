#include "write/row_change.h"

#include "base/fail.h"

/* Only a delete may unite its rows with those that others deleted meanwhile: its filter is looked
 * at again, and rows that are gone stay gone. */
static const frz_row_verb deleting = {.name = "delete",
                                      .doing = "delete from",
                                      .merge_on_read = FRZ_RENEW_UNITE,
                                      .copy_on_write = FRZ_RENEW_FROZEN};

/* Every file goes whole, so that there is nothing to rewrite: whatever others did, what is there
 * then goes (Java: DeleteFiles of a row filter, which a retry looks at again). */
static const frz_row_verb truncating = {.name = "delete",
                                        .doing = "truncate",
                                        .merge_on_read = FRZ_RENEW_ANEW,
                                        .copy_on_write = FRZ_RENEW_ANEW,
                                        .takes_all = true};

static frz_status delete_all(frz_row_change *self, frz_error **err)
{
    FRZ_TRY(frz_row_change_start(self, err));
    FRZ_TRY(frz_row_delete_evaluate(&self->rows, &self->transaction, err));
    return frz_row_change_seal(self, err);
}

static frz_status delete_rows(const frz_row_verb *verb, frz_table *table, const char *where,
                              frz_delete_mode mode, const frz_write_options *options,
                              frz_commit **out, frz_error **err)
{
    frz_row_change self;
    frz_status status = frz_row_change_open(&self, verb, table, mode, options, err);
    if (status != FRZ_OK)
        goto done;
    self.rows.where = where;
    if (!frz_row_change_is_done(&self))
        FRZ_TRY_DONE(delete_all(&self, err));
    FRZ_TRY_DONE(frz_row_change_commit(&self, out, err));

done:
    return frz_row_change_close(&self, status, err);
}

frz_status frz_table_delete(frz_table *table, const char *where, frz_delete_mode mode,
                            const frz_write_options *options, frz_commit **out, frz_error **err)
{
    return delete_rows(&deleting, table, where, mode, options, out, err);
}

frz_status frz_table_truncate(frz_table *table, const frz_write_options *options, frz_commit **out,
                              frz_error **err)
{
    return delete_rows(&truncating, table, "true", FRZ_DELETE_MODE_DEFAULT, options, out, err);
}
