import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { GLOBAL_DATA } from './secret.kind';
import { know } from '../../core/app/known-objects';
import { IRancherTarget, rancherTargetOf } from '../../core/app/target';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS, RFC1123_LABEL } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors, parsed, requireLiteral } from '../../core/rule/problem';
import { checkCertificates } from '../../core/text/certificates';
import { ANNOTATION_NAME } from '../../guest/cloud-provider/cloud-provider.kind';
import { CREDENTIAL_DRIVER, S3_CREDENTIAL_PREFIX, S3_DRIVER } from '../../guest/cluster/cluster.kind';
import { checkS3Endpoint } from '../../guest/etcd/etcd-s3.rules';
import { ANNOTATION_CREATOR_ID } from '../members/binding.kind';

/** A cloud credential of Rancher for S3, declared by the program or existing. */
export interface IS3Credential extends IConstruct {
  /** The value of `etcd.s3.cloudCredentialName`: `cattle-global-data:<name>`. */
  readonly s3CredentialName: string;
  /** The Rancher of the credential. */
  readonly rancher: IRancherTarget;
}

/** Properties of a cloud credential for S3. */
export interface S3CredentialProps {
  /** The access key of S3. */
  readonly accessKey: SecretValue;
  /** The secret key of S3. */
  readonly secretKey: SecretValue;
  /** The name of the Secret in `cattle-global-data`. @default - `cc-s3-` and the ID of the construct */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the ID of the construct */
  readonly displayName?: string;
  /**
   * The name of the Rancher user, e.g. `u-ana`, who can view and use the credential in the UI. Without one, Rancher's log repeats a warning.
   * @default - only administrators
   */
  readonly creatorId?: string;
  /** Default bucket of clusters. @default - each cluster sets its bucket */
  readonly bucket?: string;
  /** Default folder in the bucket. @default - the root of the bucket */
  readonly folder?: string;
  /** Default region. @default - no region */
  readonly region?: string;
  /** Default endpoint, as host and port. @default - Amazon S3 */
  readonly endpoint?: string;
  /** Certificate authorities of the endpoint, in PEM form. @default - public certificate authorities */
  readonly endpointCa?: string;
  /** Whether to skip verification of the endpoint's certificate. @default false */
  readonly skipSslVerify?: boolean;
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
export class S3Credential extends Construct implements IS3Credential {
  /**
   * References an existing credential.
   *
   * @param scope below a RancherChart
   * @param id ID of the construct
   * @param name name of its Secret in `cattle-global-data`, e.g. `cc-abcde`
   */
  public static fromName(scope: Construct, id: string, name: string): IS3Credential {
    return new ExistingS3Credential(scope, id, name);
  }

  public readonly s3CredentialName: string;
  public readonly rancher: IRancherTarget;

  constructor(scope: Construct, id: string, props: S3CredentialProps) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'S3Credential');
    const name = props.name ?? `cc-s3-${id.toLowerCase()}`;
    requireLiteral(this, 'name', name);
    failOnErrors(this, [...checkName(name), ...checkS3Endpoint('endpoint', props.endpoint), ...checkCertificates('endpointCa', props.endpointCa)]);
    this.s3CredentialName = `${GLOBAL_DATA}:${name}`;
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: {
        name,
        namespace: GLOBAL_DATA,
        annotations: {
          [ANNOTATION_NAME]: props.displayName ?? id,
          [CREDENTIAL_DRIVER]: S3_DRIVER,
          ...(props.creatorId === undefined ? {} : { [ANNOTATION_CREATOR_ID]: props.creatorId }),
        },
      },
      type: 'Opaque',
      data: this.data(props),
    });
    note(secret, {
      deletion: { policy: 'delete', reason: 'clusters that store etcd snapshots with it can then neither be changed nor restored from there' },
      othersWrite: ['metadata.annotations', 'metadata.labels', 'metadata.finalizers'],
    });
  }

  private data(props: S3CredentialProps): { [key: string]: string } {
    const { bucket, folder, region, endpoint, endpointCa, skipSslVerify } = props;
    const values = {
      defaultBucket: bucket,
      defaultFolder: folder,
      defaultRegion: region,
      defaultEndpoint: endpoint,
      defaultEndpointCA: endpointCa,
      defaultSkipSSLVerify: skipSslVerify === undefined ? undefined : String(skipSslVerify),
    };
    const data = {
      accessKey: parsed(this, 'accessKey', () => props.accessKey._base64()),
      secretKey: parsed(this, 'secretKey', () => props.secretKey._base64()),
      ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === undefined ? undefined : Buffer.from(value).toString('base64')])),
    };
    return Object.fromEntries(Object.entries(data).flatMap(([key, value]) => (value === undefined ? [] : [[`${S3_CREDENTIAL_PREFIX}${key}`, value]])));
  }
}

class ExistingS3Credential extends Construct implements IS3Credential {
  public readonly s3CredentialName: string;
  public readonly rancher: IRancherTarget;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.rancher = rancherTargetOf(this, 'S3Credential.fromName');
    const bare = name.startsWith(`${GLOBAL_DATA}:`) ? name.slice(GLOBAL_DATA.length + 1) : name;
    failOnErrors(this, checkName(bare));
    this.s3CredentialName = `${GLOBAL_DATA}:${bare}`;
    know(this, { target: this.rancher, apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace: GLOBAL_DATA, name: bare });
  }
}

function checkName(name: string): Problem[] {
  if (RFC1123_LABEL.test(name)) { return []; }
  return [{ path: 'name', value: name, message: 'must have at most 63 characters of a-z, 0-9 and hyphens', fix: 'use a-z, 0-9 and hyphens, e.g. backups' }];
}
