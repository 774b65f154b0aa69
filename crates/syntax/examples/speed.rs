//! Prints how long it takes to parse a batch: `cargo run --release -p taffrail-syntax --example speed [file]`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use taffrail_syntax::{ParseOptions, parse_batch};

/// A loop as people write it, with a query after it; repeated up to about 2 kB.
const SAMPLE: &str = "\
DECLARE @Iterations int = 500000, @Counter int = 1 -- how many
WHILE @Counter <= @Iterations
BEGIN
    INSERT INTO [dbo].[MyTable] ([SomeText], [MoreText])
    VALUES ('Num:' + CONVERT(varchar, @Counter), CONVERT(varchar, @Counter) + ' bottles of beer')
    SET @Counter = @Counter + 1
END
SELECT t.Id, t.SomeText, COUNT(*) AS n, SUM(o.Amount) AS total
FROM dbo.MyTable AS t
INNER JOIN dbo.Orders AS o ON o.TableId = t.Id AND o.State IN (1, 2, 3)
WHERE t.SomeText LIKE 'Num:%' AND t.Id BETWEEN 10 AND 20000 AND o.Closed IS NOT NULL
GROUP BY t.Id, t.SomeText
HAVING COUNT(*) > 1
ORDER BY total DESC, t.Id
";

fn main() {
    let file = std::env::args().nth(1);
    let text = match &file {
        Some(path) => std::fs::read_to_string(path).expect("the file is readable"),
        None => SAMPLE.repeat(2000 / SAMPLE.len() + 1),
    };
    let mut best = Duration::MAX;
    for _ in 0..200 {
        let begun = Instant::now();
        for _ in 0..20 {
            black_box(parse_batch(black_box(&text), ParseOptions::default())).expect("it parses");
        }
        best = best.min(begun.elapsed() / 20);
    }
    println!("{} bytes in {:.1} µs", text.len(), best.as_secs_f64() * 1e6);
}
