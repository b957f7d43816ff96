import { KeyObject, generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** Host names and IPv4 addresses that it is for. */
  readonly hosts?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Whether its key is one of RSA. */
  readonly rsa?: boolean;
}

const DAY_MS = 86_400_000;

/** An authority that signs certificates for tests: Node can check certificates, but make none. */
export class Authority {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  /** The certificate of the authority. */
  public readonly cert: string;

  public constructor(private readonly name = `test authority ${process.hrtime.bigint()}`) {
    const basicConstraints = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))), true);
    this.cert = this.certificate(name, this.keys.publicKey, [basicConstraints], {});
  }

  public issue({
    hosts = ['127.0.0.1', 'localhost'],
    rsa,
    ...options
  }: CertificateOptions = {}): Certificate {
    const { publicKey, privateKey } = rsa
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const names = hosts.map((host) =>
      isIP(host)
        ? der(0x87, Buffer.from(host.split('.').map(Number)))
        : der(0x82, Buffer.from(host)),
    );
    const cert = this.certificate(
      'test server',
      publicKey,
      [extension('551d11', sequence(...names))],
      options,
    );
    return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  private certificate(
    subject: string,
    publicKey: KeyObject,
    extensions: Buffer[],
    { notBefore, notAfter }: CertificateOptions,
  ): string {
    const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
    const now = Date.now();
    const body = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(
        0x02,
        Buffer.concat([
          Buffer.from([1]),
          Buffer.from(process.hrtime.bigint().toString(16).padStart(16, '0').slice(-16), 'hex'),
        ]),
      ),
      ecdsaWithSha256,
      nameOf(this.name),
      sequence(time(notBefore ?? new Date(now - DAY_MS)), time(notAfter ?? new Date(now + DAY_MS))),
      nameOf(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', body, this.keys.privateKey);
    const whole = sequence(
      body,
      ecdsaWithSha256,
      der(0x03, Buffer.concat([Buffer.from([0]), signature])),
    );
    return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;
  }
}

// the little of ASN.1 that a certificate needs
function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...sizeBytes(content.length)]), content]);
}

function sizeBytes(length: number): number[] {
  if (length < 0x80) {
    return [length];
  }
  return length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}
