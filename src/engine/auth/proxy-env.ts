import { BlockList, isIP, isIPv6 } from 'net';

/**
 * The proxy for a server: of the kubeconfig, or of the environment, by the rules of kubectl.
 *
 * @see golang/net:http/httpproxy/proxy.go
 */
export function proxyFor(server: URL, proxyUrl: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (proxyUrl) { return proxy('proxy-url of the kubeconfig', proxyUrl); }
  const given = env.HTTPS_PROXY || env.https_proxy;
  if (!given || isExempt(server, env.NO_PROXY || env.no_proxy || '')) { return undefined; }
  return proxy('HTTPS_PROXY', given.includes('://') ? given : `http://${given}`);
}

function proxy(what: string, text: string): URL {
  // never shown: it may contain a password
  if (!URL.canParse(text)) { throw new Error(`${what}: must be a URL, e.g. http://proxy.example.com:3128`); }
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`${what}: must be an http or https proxy, e.g. http://proxy.example.com:3128; got ${url.protocol.replace(':', '')}`);
  }
  return url;
}

function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) { return true; }
  return list.split(',').map((entry) => entry.trim().toLowerCase()).filter((entry) => entry !== '').some((entry) => {
    if (entry === '*') { return true; }
    const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry)!;
    if (port && port !== (server.port || '443')) { return false; }
    const bare = name.replace(/^\[(.*)\]$/, '$1').replace(/^\*(?=\.)/, '');
    if (bare.includes('/')) { return isWithin(host, bare); }
    return bare.startsWith('.') ? host.endsWith(bare) : host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
  });
}

function isWithin(host: string, range: string): boolean {
  const [network, bits] = range.split('/');
  if (isIP(host) === 0 || isIP(network) !== isIP(host) || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIPv6(network) ? 128 : 32)) { return false; }
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(bits), family);
  return ranges.check(host, family);
}
