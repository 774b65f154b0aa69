"""A till of the shop in Python (pymssql): HOST PORT USER PASSWORD ORDERS.

Orders go in as JSON. A request whose answer was lost, or that was the victim of a deadlock, is sent again: the reference makes it one order.
"""
import datetime
import decimal
import json
import sys
import time

import pymssql

host, port, user, password, orders = sys.argv[1:6]
PATIENCE = 60  # seconds that a server may be away
DEADLOCK = 1205
LOST = (0, 596, 6005, 20003, 20004, 20006, 20017, 20047)  # of DB-Library, and of a server that stops


def connect():
    until = time.time() + PATIENCE
    while True:
        try:
            return pymssql.connect(server=host, port=port, user=user, password=password, database="Shop", login_timeout=5, autocommit=True)
        except pymssql.Error:
            if time.time() > until:
                raise
            time.sleep(0.2)


class Till:
    def __init__(self):
        self.connection = connect()
        self.again = 0

    def ask(self, sql, *parameters):
        """All results of a batch; asked again where the connection or a deadlock has ended it."""
        while True:
            try:
                cursor = self.connection.cursor()
                cursor.execute(sql, tuple(parameters) or None)
                results = []
                while True:
                    if cursor.description is not None:
                        results.append(cursor.fetchall())
                    if not cursor.nextset():
                        return results
            except pymssql.Error as error:
                number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
                lost = isinstance(error, pymssql.InterfaceError) or number in LOST
                if number != DEADLOCK and not lost:
                    raise
                self.again += 1
                if lost:
                    self.connection = connect()


def main():
    till = Till()
    day = till.ask("SELECT ref.CurrentDay()")[0][0][0]
    assert isinstance(day, (datetime.date, str)), day
    customers = [row[0] for row in till.ask("SELECT CustomerNumber FROM party.Customer WHERE Active = 1 ORDER BY CustomerNumber")[0]]
    goods = till.ask("SELECT p.Sku, u.NetPrice FROM catalog.Product AS p JOIN catalog.ListPrice AS u ON u.ProductId = p.ProductId"
                     " WHERE p.Discontinued = 0 AND p.Sku NOT LIKE 'KIT%' ORDER BY p.Sku")[0]
    placed = reserved = billed = 0
    for n in range(1, int(orders) + 1):
        lines = [{"sku": goods[(7 * n + 3 * k) % len(goods)][0], "quantity": 1 + (n + k) % 3} for k in range(1 + n % 3)]
        order = {"customer": customers[(5 * n) % len(customers)], "reference": f"PY-{day}-{n}", "lines": lines}
        [[(number,)]] = till.ask("SET NOCOUNT ON; DECLARE @id int; EXEC sales.ImportOrder %s, @id OUTPUT; SELECT @id", json.dumps(order))
        placed += 1
        [[(state, net)]] = till.ask("SELECT State, NetAmount FROM sales.OrderOverview WHERE SalesOrderId = %d", number)
        assert isinstance(net, decimal.Decimal) and net > 0, net
        if state == "N":
            [[(result,)]] = till.ask("SET NOCOUNT ON; DECLARE @r int; EXEC @r = sales.ReserveOrder %d; SELECT @r", number)
            reserved += result == 0
    # Every warehouse has a picker; what others hold is passed by.
    for warehouse in (1, 2, 3):
        while True:
            [[(number,)]] = till.ask("SET NOCOUNT ON; DECLARE @id int; EXEC stock.ClaimPickTask %d, N'python', @id OUTPUT; SELECT @id", warehouse)
            if number is None:
                break
            till.ask("IF EXISTS (SELECT * FROM sales.SalesOrder WHERE SalesOrderId = %d AND State = 'R') EXEC sales.ShipOrder %d", number, number)
            till.ask("IF EXISTS (SELECT * FROM sales.SalesOrder WHERE SalesOrderId = %d AND State = 'S') EXEC sales.InvoiceOrder %d", number, number)
            billed += 1
    print(f"python: {placed} placed, {reserved} reserved, {billed} billed, {till.again} asked again")


main()
