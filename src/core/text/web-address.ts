/**
 * Whether Go's HTTP client could fetch an address: http or https, a host, a numeric port, no white
 * space.
 */
export function isWebAddress(text: string): boolean {
  return (
    /^https?:\/\/[^\s/?#\\]+([/?#]\S*)?$/i.test(text) &&
    !/%(?![0-9a-fA-F]{2})/.test(text) &&
    URL.canParse(text) &&
    new URL(text).hostname !== ''
  );
}
