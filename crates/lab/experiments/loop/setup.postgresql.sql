CREATE TABLE my_table (id int GENERATED ALWAYS AS IDENTITY, some_text varchar(10), more_text varchar(50));
CHECKPOINT;
