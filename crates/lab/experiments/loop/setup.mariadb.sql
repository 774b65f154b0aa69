CREATE TABLE my_table (id int AUTO_INCREMENT PRIMARY KEY, some_text varchar(10), more_text varchar(50)) ENGINE = InnoDB;
