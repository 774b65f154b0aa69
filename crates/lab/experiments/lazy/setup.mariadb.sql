CREATE TABLE demo_table (col1 int AUTO_INCREMENT PRIMARY KEY, col2 varchar(100)) ENGINE = InnoDB;
