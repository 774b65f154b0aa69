//! `taffrail query`: an answer for a program, each value whole, nothing among the rows that is none.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

fn query(server: &Server, words: &[&str], input: &str) -> Output {
    let mut child = Command::new(binary())
        .arg("query")
        .args(words)
        .env("SQLCMDSERVER", format!("127.0.0.1,{}", server.port))
        .env("SQLCMDPASSWORD", PASSWORD)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that does not read its input may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn an_answer_is_lines_of_json() {
    let dir = TempDir::new("query");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let batch = "PRINT 'no row'\nSELECT '' AS [a\"b], NULL, 'NULL', N'a' + NCHAR(10) + N'b' + NCHAR(9),\n\
         '$(HOME)', CAST(0x0A0B AS varbinary(2)), N'\u{1f600}', CAST(1.5 AS decimal(9, 2))\n";
    let out = query(&server, &[], batch);
    assert!(out.status.success());
    let lines = said(&out);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(
        lines[0],
        "{\"message\":{\"number\":0,\"severity\":0,\"state\":1,\"procedure\":\"\",\"line\":1,\"text\":\"no row\"}}"
    );
    assert!(
        lines[1].starts_with("{\"columns\":[{\"name\":\"a\\\"b\",\"type\":\"varchar(1)\"},"),
        "{}",
        lines[1]
    );
    assert_eq!(
        lines[2],
        "{\"row\":[\"\",null,\"NULL\",\"a\\nb\\t\",\"$(HOME)\",\"0x0A0B\",\"\u{1f600}\",\"1.50\"]}"
    );
    assert_eq!(lines[3..], ["{\"rows_affected\":1}"]);
    // Values are whole.
    let long = query(&server, &["-Q", "SELECT REPLICATE(CAST('x' AS varchar(max)), 100000)"], "");
    assert!(said(&long).contains(&"x".repeat(100_000)));
    // An error is a line, and the exit code.
    let wrong = query(&server, &["-d", "tempdb", "-Q", "SELECT DB_NAME() SELECT 1 / 0"], "");
    let lines = said(&wrong);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(lines.contains("{\"row\":[\"tempdb\"]}"), "{lines}");
    assert!(lines.contains("{\"message\":{\"number\":8134,\"severity\":16,"), "{lines}");
    let refused = query(&server, &["-U", "nobody", "-Q", "SELECT 1"], "");
    assert!(refused.status.code() == Some(1) && refused.stdout.is_empty());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("18456"), "{refused:?}");
}

/// `query` and `sql` with a variable of the environment for each setting of the server that they look for.
fn asked(port: u16, settings: &[(&str, &str)]) -> [(bool, String); 2] {
    ["query", "sql"].map(|command| {
        let mut child = Command::new(binary());
        child.args([command, "-S", &format!("127.0.0.1,{port}"), "-U", "sa", "-Q", "SELECT 1"]);
        child.env("SQLCMDPASSWORD", PASSWORD).envs(settings.iter().copied());
        let out = child.output().unwrap();
        // sqlcmd complains on standard output.
        let said = [out.stdout, out.stderr].concat();
        (out.status.success(), String::from_utf8_lossy(&said).into_owned())
    })
}

#[test]
fn a_password_goes_out_encrypted_and_the_servers_own_only_to_the_server() {
    let temp = TempDir::new("whose-password");
    let data = temp.path().join("data");
    let server = Server::start(&data, &["--console", "off"]);
    let at = format!("127.0.0.1:{}", server.port);
    // A directory of another server, whose password is the same.
    let other = temp.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("sa-password"), format!("{PASSWORD}\n")).unwrap();
    let stranger = Server::start(&temp.path().join("stranger"), &["--console", "off"]);
    let [certificate, _] = crate::lab::self_signed(&other, "DNS:localhost", &[]);
    std::fs::rename(certificate, other.join("server.crt")).unwrap();
    let own = other.to_str().unwrap();
    for (good, said) in asked(server.port, &[("TAFFRAIL_LISTEN", &at), ("TAFFRAIL_DATA", own)]) {
        assert!(!good && said.contains("certificate is not the one"), "{said}");
    }
    std::fs::copy(data.join("server.crt"), other.join("server.crt")).unwrap();
    for (good, said) in asked(server.port, &[("TAFFRAIL_LISTEN", &at), ("TAFFRAIL_DATA", own)]) {
        assert!(good, "{said}");
    }
    // Elsewhere it is a password as any other.
    for (good, said) in asked(stranger.port, &[("TAFFRAIL_LISTEN", &at), ("TAFFRAIL_DATA", own)]) {
        assert!(good, "{said}");
    }
    assert!(stranger.stop().success() && server.stop().success());
    // A server that encrypts nothing gets none, unless somebody says so.
    let open = Server::start(&data, &["--console", "off", "--tls", "off"]);
    for (good, said) in asked(open.port, &[]) {
        assert!(!good && said.contains("encrypts nothing"), "{said}");
        assert!(said.contains("-N disable sends it all the same"), "{said}");
    }
    // Settings that turn TLS off say so for their own server, and for no other.
    let at = format!("127.0.0.1:{}", open.port);
    for (good, said) in asked(open.port, &[("TAFFRAIL_LISTEN", &at), ("TAFFRAIL_TLS", "off")]) {
        assert!(good, "{said}");
    }
    for (good, said) in asked(open.port, &[("TAFFRAIL_TLS", "off")]) {
        assert!(!good && said.contains("encrypts nothing"), "{said}");
    }
    let mut command = Command::new(binary());
    command.args(["sql", "-S", &format!("127.0.0.1,{}", open.port), "-U", "sa", "-N", "disable"]);
    let out = command.args(["-Q", "SELECT 1"]).env("SQLCMDPASSWORD", PASSWORD).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(open.stop().success());
}
