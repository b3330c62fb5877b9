import { BlockList, isIP } from 'node:net';

/**
 * Everything that is not somebody else's public address (IANA special-purpose registries). Our own list: the "is it global" tests of
 * libraries let multicast and NAT64 pass.
 */
const deniedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // The metadata and DNS address of Azure's hosts: public by its number, inside by its answer.
  '168.63.129.16/32',
] as const;

/** IPv6 is the other way round: only global unicast may pass, and this is what may not within it. */
const globalUnicastV6 = '2000::/3';
const deniedV6 = [
  // Protocol assignments, Teredo and ORCHID among them; documentation; 6to4, which holds an IPv4 address; AS112.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '2620:4f:8000::/48',
] as const;

/** Lies outside 2000::/3 and so cannot pass: ::, ::1, ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64), fc00::/7, fe80::/10, ff00::/8. */

export interface AddressPolicy {
  /** Whether we may send to this IP address, in the text form of a resolver or of a parsed URL. */
  allows(address: string): boolean;
  /** Whether the operator has named its network as one of ours; there, TLS is not asked for. */
  isAllowListed(address: string): boolean;
}

/** @param allowNetworks networks (`10.1.0.0/16`, `::1/128`) that may be sent to in spite of the list; for development only. */
export function addressPolicy(allowNetworks: readonly string[]): AddressPolicy {
  const denied = blockList([...deniedV4, ...deniedV6]);
  const global = blockList([globalUnicastV6]);
  const allowed = blockList(allowNetworks);
  const isAllowListed = (address: string) => isIn(allowed, address);
  return {
    isAllowListed,
    allows(address) {
      if (isAllowListed(address)) return true;
      const version = isIP(address);
      // BlockList reads a mapped address as the IPv4 address inside; here it is none of either.
      if (version === 6) return !isMapped(address) && isIn(global, address) && !isIn(denied, address);
      return version === 4 && !isIn(denied, address);
    },
  };
}

/** @throws Error naming the part that is no network. */
export function parseNetworks(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((network) => {
      const [address, length, ...rest] = network.split('/');
      const bits = isIP(address ?? '') === 6 ? 128 : 32;
      if (isIP(address ?? '') === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '') || Number(length) > bits) {
        throw new Error(`"${network}" is not a network; expected an address and a length, e.g. 127.0.0.0/8 or ::1/128`);
      }
      return network;
    });
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  // A zone (`fe80::1%eth0`) is no part of an address that a name may point to.
  if (version === 0 || address.includes('%') || isMapped(address)) return false;
  return list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
function isMapped(address: string): boolean {
  return isIP(address) === 6 && mapped.check(address, 'ipv6');
}
