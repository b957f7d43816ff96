/** The URL of a cluster in a kubeconfig; throws where credentials would be sent in the clear. */
export function serverOf(server: unknown): URL {
  if (typeof server !== 'string' || !URL.canParse(server)) { throw new Error('its cluster has no server that is a URL; give https://<host>[:<port>]'); }
  const url = new URL(server);
  if (url.protocol !== 'https:') {
    throw new Error(`its server has ${url.protocol}//, allowed is https://; credentials are never sent in the clear`);
  }
  if (url.username || url.password || url.search || url.hash) { throw new Error('its server has more than host, port and path; leave out user, query and fragment'); }
  return url;
}

/** A field that is text where it is there. */
export function textOf(fields: { readonly [field: string]: unknown }, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') { return undefined; }
  if (typeof value !== 'string') { throw new Error(`${field} is no text`); }
  return value;
}
