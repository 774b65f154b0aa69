INSERT INTO small (at) VALUES (NOW());
