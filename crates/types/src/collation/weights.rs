//! The weights of CLDR as they are compiled in, but for one thing: scripts stay in one order, whatever the language, as Windows has
//! it. (CLDR puts the language's own script first.)

use icu_collator::provider::{
    Baked, CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1, CollationReordering,
    CollationReorderingV1, CollationRootV1, CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_normalizer::provider::{Baked as Normal, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::{DataError, DataPayload, DataProvider, DataRequest, DataResponse};

pub struct Steady;

macro_rules! passed_on {
    ($baked:ident: $($marker:ty),*) => {
        $(impl DataProvider<$marker> for Steady {
            fn load(&self, request: DataRequest) -> Result<DataResponse<$marker>, DataError> {
                $baked.load(request)
            }
        })*
    };
}

passed_on!(Baked: CollationRootV1, CollationTailoringV1, CollationDiacriticsV1, CollationJamoV1,
    CollationMetadataV1, CollationSpecialPrimariesV1);
passed_on!(Normal: NormalizerNfdDataV1, NormalizerNfdTablesV1);

impl DataProvider<CollationReorderingV1> for Steady {
    fn load(&self, request: DataRequest) -> Result<DataResponse<CollationReorderingV1>, DataError> {
        let known: DataResponse<CollationReorderingV1> = Baked.load(request)?;
        let lead_bytes: Vec<u8> = (0..=255).collect();
        let none = CollationReordering {
            min_high_no_reorder: 0,
            reorder_table: lead_bytes.into_iter().collect(),
            reorder_ranges: Default::default(),
        };
        Ok(DataResponse { metadata: known.metadata, payload: DataPayload::from_owned(none) })
    }
}
