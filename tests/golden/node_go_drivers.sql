-- What object-relational mappers send.
create database mappers;
go
use mappers;
create table dbo.item (id int identity primary key, name varchar(20) not null unique, qty int not null default 1, note varchar(20));
create table dbo.heap (k int, v varchar(10));
insert into dbo.item (name, qty) values ('a', 1), ('b', 2), ('c', 3);
go
-- MERGE: an upsert by a unique key
merge into dbo.item with (holdlock) as t
using (values ('b', 20), ('d', 40)) as s (name, qty) on t.name = s.name
when matched then update set t.qty = s.qty, note = 'was ' + cast(t.qty as varchar(5))
when not matched then insert (name, qty) values (s.name, s.qty)
output $action, inserted.id, inserted.name, deleted.qty as old, inserted.qty, s.qty as given;
select @@rowcount as n;
select * from dbo.item order by id;
go
-- rows that the source does not have; clauses with conditions
merge dbo.item as t
using (select 'a' as name, 0 as qty union all select 'c', 7 union all select 'z', 9) as s on s.name = t.name
when matched and s.qty = 0 then delete
when matched then update set qty += s.qty
when not matched by target and s.qty > 100 then insert (name) values (s.name)
when not matched by source and t.qty > 30 then delete
when not matched by source then update set note = 'alone'
output $action as did, deleted.name as gone, inserted.name as here, s.name as given;
select * from dbo.item order by id;
go
-- keys pass from row to row; new rows take keys of rows that go
create table dbo.keyed (k int primary key, v varchar(10) unique);
insert into dbo.keyed values (1, 'one'), (2, 'two'), (3, 'three');
merge dbo.keyed as t using (values (1, 2), (2, 1), (3, 0), (9, 3)) as s (k, n) on s.k = t.k
when matched and s.n = 0 then delete
when matched then update set k = s.n, v = 'is ' + cast(s.n as varchar(3))
when not matched then insert values (s.n, default);
select * from dbo.keyed order by k;
-- a heap, a table variable, TOP, DEFAULT VALUES
merge dbo.heap as t using (values (1, 'x'), (2, 'y')) as s (k, v) on s.k = t.k when not matched then insert values (s.k, s.v);
merge dbo.heap as t using (values (1, 'p'), (3, 'q')) as s (k, v) on s.k = t.k
when matched then update set v = s.v when not matched by source then delete when not matched then insert (v, k) values (s.v, s.k);
select * from dbo.heap order by k;
declare @t table (k int primary key, v int);
merge @t as t using (select 5 as k union all select 6) as s on t.k = s.k when not matched then insert (k, v) values (k, 1);
merge top (1) @t as t using (select 5 as k union all select 6) as s on t.k = s.k when matched then update set v = 2;
select sum(v) as s from @t;
declare @log table (did nvarchar(10), k int);
merge @t as t using (select 6 as k) as s on t.k = s.k when matched then delete output $action, deleted.k into @log;
select * from @log;
go
-- a column that is nothing but NULL takes any type
create table dbo.loose (k int primary key, d datetime2 null, g uniqueidentifier null);
merge dbo.loose as t using (values (1, null, null)) as s (k, d, g) on t.k = s.k
when matched then update set d = s.d when not matched then insert (k, d, g) values (s.k, s.d, s.g);
select * from dbo.loose;
go
-- errors leave everything as it was
merge dbo.heap as t using (values (1), (1)) as s (k) on s.k = t.k when matched then update set v = 'twice';
merge dbo.keyed as t using (values (9)) as s (k) on s.k = t.k when not matched then insert values (1, 'dup');
select count(*) as n from dbo.heap where v = 'twice';
go
merge dbo.item as t using (values (9)) as s (id) on s.id = t.id when not matched then insert (id, name) values (s.id, 'q');
go
merge dbo.heap as t using (values (1)) as s (k) on s.k = t.k when not matched then insert values (t.k, 'q');
go
merge dbo.heap as t using (values (1)) as s (k) on s.k = t.k when not matched by source then update set v = s.k;
go
merge dbo.heap as t using (values (1)) as s (k) on s.k = t.k when matched then delete when matched and s.k = 1 then update set v = 'a';
go
merge dbo.heap as t using (values (1)) as s (k) on s.k = t.k when matched and s.k = 2 then delete when matched then delete;
go
merge sys.objects as t using (values (1)) as s (k) on s.k = t.object_id when matched then delete;
go
set identity_insert dbo.item on;
merge dbo.item as t using (values (90)) as s (id) on s.id = t.id when not matched then insert (id, name) values (s.id, 'q');
set identity_insert dbo.item off;
select id from dbo.item where name = 'q';
go
-- foreign keys: made with the table, by name, to itself
create table dbo.author (id int identity primary key, code varchar(10) not null unique, name nvarchar(50));
create table dbo.book (id int identity primary key, title nvarchar(50) not null,
  author_id int not null references dbo.author on delete cascade,
  code varchar(10) null,
  editor int null, constraint fk_editor foreign key (editor) references dbo.author (id));
create table dbo.prize (id int primary key, code varchar(10) null constraint fk_code references author (code) on update cascade);
create table dbo.tree (id int primary key, parent int null constraint fk_tree references dbo.tree (id));
create table dbo.page (book_id int null constraint fk_page foreign key references dbo.book (id) on delete set null, n int default 7, primary key (n));
insert into dbo.author (code, name) values ('a', 'A'), ('b', 'B'), ('c', 'C');
insert into dbo.book (title, author_id, code, editor) values ('one', 1, 'a', null), ('two', 2, 'b', 3), ('three', 1, null, 3);
insert into dbo.prize values (1, 'a'), (2, 'b'), (3, null);
insert into dbo.page values (1, 1), (1, 2), (2, 3), (null, 4);
-- rows of one statement may refer to each other
insert into dbo.tree values (3, 2), (2, 1), (1, null);
go
insert into dbo.book (title, author_id) values ('four', 9);
go
update dbo.prize set code = 'zz' where id = 1;
go
insert into dbo.tree values (5, 6);
go
delete dbo.author where id = 3;
go
delete dbo.tree where id = 2;
go
update dbo.author set id = 1 where 1 = 0;
go
-- what goes along, and what is left
delete dbo.author where id = 1;
go
update dbo.prize set code = 'b' where id = 1;
delete dbo.author where id = 1;
select id, title, author_id, code, editor from dbo.book order by id;
select book_id, n from dbo.page order by n;
update dbo.author set code = 'B2' where id = 2;
select id, code from dbo.prize order by id;
delete dbo.tree;
begin try
  merge dbo.book as t using (values (77)) as s (a) on 1 = 0 when not matched then insert (title, author_id) values ('m', s.a);
end try
begin catch
  select error_number() as n, error_message() as m;
end catch
go
-- what may not go
drop table dbo.author;
go
truncate table dbo.author;
go
alter table dbo.book drop column author_id;
go
alter table dbo.author alter column code int;
go
-- what may not be
create table dbo.bad (id int primary key, a int references dbo.nowhere (id));
go
create table dbo.bad (id int primary key, a bigint constraint fk_bad references dbo.author (id));
go
create table dbo.bad (id int primary key, a int constraint fk_bad references dbo.author (nope));
go
create table dbo.bad (id int primary key, a nvarchar(50) constraint fk_bad references dbo.author (name));
go
create table dbo.bad (id int primary key, a int constraint fk_bad references dbo.bad (id) on delete cascade);
go
create table dbo.bad (id int primary key, a int not null constraint fk_bad references dbo.author (id) on delete set null);
go
-- added to rows that exist; off and on
create table dbo.late (id int primary key, author_id int);
insert into dbo.late values (1, 2), (2, 99);
alter table dbo.late add constraint fk_late foreign key (author_id) references dbo.author (id);
go
alter table dbo.late with nocheck add constraint fk_late foreign key (author_id) references dbo.author (id);
select is_disabled, is_not_trusted from sys.foreign_keys where name = 'fk_late';
insert into dbo.late values (3, 98);
go
alter table dbo.late nocheck constraint fk_late;
insert into dbo.late values (3, 98);
alter table dbo.late with check check constraint fk_late;
go
delete dbo.late where id > 1;
alter table dbo.late with check check constraint all;
select is_disabled, is_not_trusted from sys.foreign_keys where name = 'fk_late';
insert into dbo.late values (3, 98);
alter table dbo.late drop constraint fk_late;
insert into dbo.late values (3, 98);
go
-- rolled back
begin transaction;
alter table dbo.late with nocheck add constraint fk_late foreign key (author_id) references dbo.author (id);
rollback;
insert into dbo.late values (4, 98);
go
-- what mappers read
select k.name, object_name(parent_object_id) as t, object_name(referenced_object_id) as r, delete_referential_action_desc as d, update_referential_action_desc as u
  from sys.foreign_keys as k where k.name not like 'FK[_][_]%' order by k.name;
select object_name(constraint_object_id) as k, parent_column_id as p, referenced_column_id as r from sys.foreign_key_columns
  where object_name(constraint_object_id) not like 'FK[_][_]%' order by 1;
select constraint_name, unique_constraint_schema, update_rule, delete_rule from information_schema.referential_constraints where constraint_name not like 'FK[_][_]%' order by 1;
select table_name, constraint_name from information_schema.table_constraints where constraint_type = 'FOREIGN KEY' and constraint_name not like 'FK[_][_]%' order by 1, 2;
select column_name from information_schema.key_column_usage where constraint_name = 'fk_editor';
create table #t (id int references dbo.author (id));
drop table dbo.prize, dbo.page, dbo.book, dbo.author, dbo.tree;

select count(*) as n from sys.foreign_keys;
go
-- a column renamed without saying that it is one
exec sp_rename 'mappers.dbo.late.author_id', 'writer';
go
select writer from dbo.late where id = 1;
go
-- the old large types are what replaces them
create table dbo.old (t text, n ntext, i image);
select name, type_name(user_type_id) as ty, max_length from sys.columns where object_id = object_id('dbo.old');
go
use master;
drop database mappers;
go
-- GORM's upsert: its new rows take the identities that come first, so OUTPUT tells the new rows before those that are there
--@ source: reasoned
create table dbo.pets (id int identity primary key, name varchar(20));
insert into dbo.pets (name) values ('a'), ('b');
merge into dbo.pets using (values ('b', 2), ('new', null), ('a', 1), ('newer', null)) as excluded (name, id) on pets.id = excluded.id
when matched then update set name = excluded.name
when not matched then insert (name) values (excluded.name)
output inserted.id, excluded.name;
drop table dbo.pets;
go
