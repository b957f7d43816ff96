import { Construct } from 'constructs';
import { GLOBAL_DATA } from './secret.kind';
import {
  ExistingResourceOptions,
  ResourceOptions,
  ResourceProps,
  defaultName,
  labelName,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { checkCertificates } from '../../core/problem/certificates';
import { failOnErrors, parsed } from '../../core/problem/problem';
import { defined } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';
import { ANNOTATION_NAME } from '../../guest/cloud-provider/cloud-provider.kind';
import {
  CREDENTIAL_DRIVER,
  S3_CREDENTIAL_PREFIX,
  S3_DRIVER,
} from '../../guest/cluster/cluster.kind';
import { checkS3Endpoint } from '../../guest/etcd/etcd-s3.check';
import { ANNOTATION_CREATOR_ID } from '../binding/binding.kind';
import { ILocalUser } from '../members/principal';
import { ExistingRancherResource, IRancherResource, RancherResource } from '../rancher-resource';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Secret' };

/** A cloud credential of Rancher for S3, declared by the program or existing. */
export interface IS3Credential extends IRancherResource {
  /** The value of `etcd.s3.cloudCredentialName`: `cattle-global-data:<name>`. */
  readonly s3CredentialId: string;
}

/** Properties of a cloud credential for S3. */
export interface S3CredentialProps extends ResourceOptions {
  /** The access key of S3. */
  readonly accessKey: SecretValue;
  /** The secret key of S3. */
  readonly secretKey: SecretValue;
  /**
   * The name of the Secret in `cattle-global-data`.
   * @default - `cc-s3-` and the name by default of other constructs, since the credentials of all providers are in one namespace
   */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the ID of the construct */
  readonly displayName?: string;
  /** The description that Rancher's UI shows. @default - no description */
  readonly description?: string;
  /**
   * The user who can view and use the credential in the UI. Without one, Rancher's log repeats a
   * warning.
   * @default - only administrators
   */
  readonly creator?: ILocalUser;
  /** Default bucket of clusters. @default - each cluster sets its bucket */
  readonly bucket?: string;
  /** Default folder in the bucket. @default - the root of the bucket */
  readonly folder?: string;
  /** Default region. @default - no region */
  readonly region?: string;
  /** Default endpoint, as host and port. @default - Amazon S3 */
  readonly endpoint?: string;
  /**
   * Certificate authorities of the endpoint, in PEM form.
   * @default - public certificate authorities
   */
  readonly caCertificates?: string;
  /** Whether to skip verification of the endpoint's certificate. @default false */
  readonly insecureSkipTlsVerify?: boolean;
}

/**
 * A cloud credential for S3 on Rancher: a Secret in `cattle-global-data`, for snapshots of etcd.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/user-settings/manage-cloud-credentials
 * @example
 * new S3Credential(rancher, 'backup', {
 *   accessKey: SecretValue.fromEnv('S3_ACCESS_KEY'),
 *   secretKey: SecretValue.fromEnv('S3_SECRET_KEY'),
 *   endpoint: 'minio.example.com:9000',
 * });
 */
export class S3Credential extends RancherResource implements IS3Credential {
  /**
   * A reference to an existing credential, by its Secret in `cattle-global-data`, e.g. `cc-abcde`.
   */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IS3Credential {
    return new ExistingS3Credential(
      scope,
      id,
      'S3Credential.fromName',
      { ...KIND, namespace: GLOBAL_DATA },
      options,
    );
  }

  constructor(scope: Construct, id: string, props: S3CredentialProps) {
    super(scope, id, props);
    failOnErrors(this, [
      ...checkS3Endpoint('endpoint', props.endpoint),
      ...checkCertificates('caCertificates', props.caCertificates),
    ]);
    const { creator, description } = props;
    const secret = this._write(
      {
        ...KIND,
        metadata: {
          namespace: GLOBAL_DATA,
          annotations: {
            [ANNOTATION_NAME]: props.displayName ?? id,
            [CREDENTIAL_DRIVER]: S3_DRIVER,
            ...(creator ? { [ANNOTATION_CREATOR_ID]: creator.name } : {}),
            ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
          },
        },
        type: 'Opaque',
        data: this.data(props),
      },
      { deletion: 's3-credential' },
    );
    if (creator) {
      Ordering.of(secret)._add(creator, OrderingType.APPLIED);
    }
  }

  public get s3CredentialId(): string {
    return `${GLOBAL_DATA}:${this.name}`;
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name ?? `cc-s3-${defaultName(this)}`, 'backups');
  }

  private data(props: S3CredentialProps): { [key: string]: string } {
    const { bucket, folder, region, endpoint, caCertificates, insecureSkipTlsVerify } = props;
    const values = defined({
      defaultBucket: bucket,
      defaultFolder: folder,
      defaultRegion: region,
      defaultEndpoint: endpoint,
      defaultEndpointCA: caCertificates,
      defaultSkipSSLVerify:
        insecureSkipTlsVerify === undefined ? undefined : String(insecureSkipTlsVerify),
    });
    const data = {
      accessKey: parsed(this, 'accessKey', () => props.accessKey._base64()),
      secretKey: parsed(this, 'secretKey', () => props.secretKey._base64()),
      ...Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    };
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [`${S3_CREDENTIAL_PREFIX}${key}`, value]),
    );
  }
}

class ExistingS3Credential extends ExistingRancherResource implements IS3Credential {
  public get s3CredentialId(): string {
    return `${GLOBAL_DATA}:${this.name}`;
  }
}
