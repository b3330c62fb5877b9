export { QueueUnreachable, type TicketBackend, type TicketBackendConfig, openTicketBackend } from './backend.js';
export { type Ticket, issueTickets, ticketOptions, ticketWorkerOptions } from './ticket.js';
