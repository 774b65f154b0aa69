package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import org.hibernate.annotations.Generated;

@Entity
@Table(name = "orders")
public class Order {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @ManyToOne(optional = false)
    @JoinColumn(name = "customer_id")
    Customer customer;

    @Column(nullable = false, precision = 10, scale = 2)
    BigDecimal amount;

    /** The table's default. */
    @Generated
    @Column(nullable = false, insertable = false)
    LocalDateTime placed;

    protected Order() {}

    Order(Customer customer, BigDecimal amount) {
        this.customer = customer;
        this.amount = amount;
    }
}
