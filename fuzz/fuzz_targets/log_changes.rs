#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    taffrail_fuzz::libfuzzer("log_changes", input);
});
