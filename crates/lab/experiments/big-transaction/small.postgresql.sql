INSERT INTO small (at) VALUES (now());
