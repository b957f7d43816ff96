// what encoding/base64 of Go takes: padded, line breaks allowed
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What the node driver reads where a field may be plain text or base64: base64 wherever the text could be that.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go stringSupportBase64
 */
export function driverText(text: string): string {
  const joined = text.replace(/[\r\n]/g, '');
  return joined !== '' && BASE64.test(joined) ? Buffer.from(joined, 'base64').toString('utf8') : text;
}
