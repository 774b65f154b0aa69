#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    taffrail_fuzz::libfuzzer("event_file", input);
});
