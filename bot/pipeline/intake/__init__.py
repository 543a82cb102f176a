"""From deliveries to queued jobs and to acts that are done."""
