import { Manifest } from '../../../src/core/manifest/manifest';

/** The namespace of the objects. */
export const NAMESPACE = 'kubernetes-kinds';

function object(apiVersion: string, kind: string, fields: object, metadata: object = {}): Manifest {
  return { apiVersion, kind, metadata: { name: 'one', ...metadata }, ...fields };
}

function inNamespace(apiVersion: string, kind: string, fields: object, metadata: object = {}) {
  return object(apiVersion, kind, fields, { namespace: NAMESPACE, ...metadata });
}

const text = (value: string): string => Buffer.from(value).toString('base64');

const LABELS = { app: 'shop' };

/** A pod with most of what people write. */
const POD = {
  restartPolicy: 'Always',
  serviceAccountName: 'shop',
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  imagePullSecrets: [{ name: 'registry' }],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['shop.example'] }],
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'shop', effect: 'NoSchedule' }],
  securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] },
        ],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 50,
          podAffinityTerm: {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: LABELS },
          },
        },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: LABELS },
    },
  ],
  initContainers: [{ name: 'init', image: 'busybox:1', command: ['true'] }],
  containers: [
    {
      name: 'shop',
      image: 'shop:1',
      imagePullPolicy: 'IfNotPresent',
      command: ['/shop'],
      args: ['--port', '8080'],
      workingDir: '/srv',
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      env: [
        { name: 'MODE', value: 'production' },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'shop', key: 'password' } } },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      envFrom: [{ configMapRef: { name: 'shop' } }],
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'config', mountPath: '/config', readOnly: true },
      ],
      livenessProbe: {
        httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
        periodSeconds: 10,
        failureThreshold: 3,
      },
      readinessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 5 },
      lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
      },
    },
  ],
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'config', configMap: { name: 'shop', items: [{ key: 'a', path: 'a.conf' }] } },
    { name: 'secret', secret: { secretName: 'shop', defaultMode: 256 } },
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
  ],
};

const TEMPLATE = { metadata: { labels: LABELS, annotations: { a: 'b' } }, spec: POD };
const JOB_TEMPLATE = {
  metadata: { labels: LABELS },
  spec: { restartPolicy: 'OnFailure', containers: [{ name: 'job', image: 'job:1' }] },
};
const CLAIM = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 'fast',
  volumeMode: 'Filesystem',
};

const CORE: readonly Manifest[] = [
  object('v1', 'Namespace', {}, { labels: { team: 'a' }, annotations: { note: 'text' } }),
  inNamespace('v1', 'ConfigMap', {
    data: { 'a.conf': 'x', 'b': 'y' },
    binaryData: { c: text('z') },
    immutable: false,
  }),
  inNamespace('v1', 'Secret', {
    type: 'Opaque',
    data: { password: text('x') },
    stringData: { user: 'a' },
  }),
  inNamespace(
    'v1',
    'Secret',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': text('a'), 'tls.key': text('b') } },
    { name: 'tls' },
  ),
  inNamespace(
    'v1',
    'Secret',
    {
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': '{"auths":{}}' },
    },
    { name: 'registry' },
  ),
  inNamespace(
    'v1',
    'Secret',
    { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } },
    { name: 'basic' },
  ),
  inNamespace(
    'v1',
    'Secret',
    { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': 'a' } },
    { name: 'ssh' },
  ),
  inNamespace(
    'v1',
    'Secret',
    { type: 'kubernetes.io/service-account-token' },
    { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'shop' } },
  ),
  inNamespace('v1', 'Service', {
    spec: {
      type: 'ClusterIP',
      selector: LABELS,
      ports: [
        { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
        { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
      ],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      internalTrafficPolicy: 'Cluster',
      ipFamilyPolicy: 'SingleStack',
      ipFamilies: ['IPv4'],
    },
  }),
  inNamespace(
    'v1',
    'Service',
    {
      spec: {
        type: 'LoadBalancer',
        selector: LABELS,
        ports: [{ port: 443, targetPort: 8443, nodePort: 30443 }],
        externalTrafficPolicy: 'Local',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        allocateLoadBalancerNodePorts: true,
        loadBalancerClass: 'example.com/lb',
      },
    },
    { name: 'balanced' },
  ),
  inNamespace(
    'v1',
    'Service',
    {
      spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: LABELS },
    },
    { name: 'headless' },
  ),
  inNamespace(
    'v1',
    'Service',
    { spec: { type: 'ExternalName', externalName: 'shop.example' } },
    { name: 'external' },
  ),
  inNamespace('v1', 'ServiceAccount', {
    secrets: [{ name: 'token' }],
    imagePullSecrets: [{ name: 'registry' }],
    automountServiceAccountToken: false,
  }),
  inNamespace('v1', 'PersistentVolumeClaim', {
    spec: { ...CLAIM, selector: { matchLabels: LABELS } },
  }),
  inNamespace(
    'v1',
    'PersistentVolumeClaim',
    {
      spec: {
        ...CLAIM,
        volumeName: 'one',
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' },
      },
    },
    { name: 'restored' },
  ),
  object('v1', 'PersistentVolume', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
      nfs: { server: '10.0.0.1', path: '/exports' },
      claimRef: { namespace: NAMESPACE, name: 'data' },
      mountOptions: ['hard'],
    },
  }),
  object(
    'v1',
    'PersistentVolume',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        csi: { driver: 'driver.longhorn.io', volumeHandle: 'a', fsType: 'ext4' },
      },
    },
    { name: 'csi' },
  ),
  inNamespace('v1', 'Pod', { spec: POD }, { labels: LABELS }),
  inNamespace('v1', 'ReplicationController', {
    spec: { replicas: 1, selector: LABELS, template: TEMPLATE },
  }),
  inNamespace('v1', 'ResourceQuota', {
    spec: {
      hard: { 'pods': '10', 'limits.cpu': '4', 'requests.storage': '10Gi' },
    },
  }),
  inNamespace(
    'v1',
    'ResourceQuota',
    {
      spec: {
        hard: { pods: '10' },
        scopes: ['BestEffort'],
      },
    },
    { name: 'scoped' },
  ),
  inNamespace('v1', 'LimitRange', {
    spec: {
      limits: [
        {
          type: 'Container',
          default: { cpu: '500m' },
          defaultRequest: { cpu: '100m' },
          min: { cpu: '50m' },
          max: { cpu: '1' },
        },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } },
      ],
    },
  }),
  object(
    'v1',
    'Node',
    {
      spec: {
        unschedulable: true,
        taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        podCIDR: '10.42.0.0/24',
        podCIDRs: ['10.42.0.0/24'],
      },
    },
    { labels: { zone: 'a' } },
  ),
  inNamespace('v1', 'Endpoints', {
    subsets: [{ addresses: [{ ip: '10.0.0.5' }], ports: [{ name: 'http', port: 80 }] }],
  }),
];

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC = `${RBAC_GROUP}/v1`;
const RULES = [
  {
    apiGroups: ['', 'apps'],
    resources: ['pods', 'pods/log'],
    resourceNames: ['a'],
    verbs: ['get'],
  },
];
const SUBJECTS = [
  { kind: 'User', name: 'jane', apiGroup: RBAC_GROUP },
  { kind: 'Group', name: 'team', apiGroup: RBAC_GROUP },
  { kind: 'ServiceAccount', name: 'shop', namespace: NAMESPACE },
];

const ACCESS: readonly Manifest[] = [
  inNamespace(RBAC, 'Role', { rules: RULES }),
  object(RBAC, 'ClusterRole', {
    rules: [...RULES, { nonResourceURLs: ['/healthz', '/metrics/*'], verbs: ['get'] }],
  }),
  object(
    RBAC,
    'ClusterRole',
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: LABELS }] } },
    { name: 'aggregated' },
  ),
  inNamespace(RBAC, 'RoleBinding', {
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: 'one' },
    subjects: SUBJECTS,
  }),
  object(RBAC, 'ClusterRoleBinding', {
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'view' },
    subjects: SUBJECTS,
  }),
];

const SELECTOR = { matchLabels: LABELS };

const WORKLOADS: readonly Manifest[] = [
  inNamespace('apps/v1', 'Deployment', {
    spec: {
      replicas: 2,
      selector: SELECTOR,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
      minReadySeconds: 5,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: 600,
      template: TEMPLATE,
    },
  }),
  inNamespace('apps/v1', 'StatefulSet', {
    spec: {
      replicas: 2,
      serviceName: 'shop',
      selector: {
        matchExpressions: [{ key: 'app', operator: 'In', values: ['shop'] }],
      },
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
      template: TEMPLATE,
    },
  }),
  inNamespace('apps/v1', 'DaemonSet', {
    spec: {
      selector: SELECTOR,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: TEMPLATE,
    },
  }),
  inNamespace('apps/v1', 'ReplicaSet', {
    spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE },
  }),
  inNamespace('batch/v1', 'Job', {
    spec: {
      backoffLimit: 2,
      completions: 2,
      parallelism: 1,
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 60,
      template: JOB_TEMPLATE,
    },
  }),
  inNamespace('batch/v1', 'CronJob', {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      suspend: false,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      startingDeadlineSeconds: 100,
      jobTemplate: { spec: { template: JOB_TEMPLATE } },
    },
  }),
  inNamespace('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 60,
          policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
        },
      },
    },
  }),
  inNamespace('policy/v1', 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  }),
];

const WEBHOOK = {
  name: 'check.example.com',
  clientConfig: { service: { namespace: 'a', name: 'b', path: '/check', port: 443 } },
  rules: [
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      operations: ['CREATE'],
      resources: ['deployments'],
      scope: 'Namespaced',
    },
  ],
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 5,
  namespaceSelector: { matchLabels: { never: 'there' } },
};

const CLUSTER_WIDE: readonly Manifest[] = [
  object('storage.k8s.io/v1', 'StorageClass', {
    provisioner: 'driver.longhorn.io',
    parameters: { numberOfReplicas: '3' },
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
    mountOptions: ['noatime'],
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
  }),
  object(
    'storage.k8s.io/v1',
    'CSIDriver',
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent'],
      },
    },
    { name: 'driver.example.com' },
  ),
  object('storage.k8s.io/v1', 'VolumeAttachment', {
    spec: { attacher: 'driver.example.com', nodeName: 'a', source: { persistentVolumeName: 'b' } },
  }),
  object('scheduling.k8s.io/v1', 'PriorityClass', {
    value: 1000,
    globalDefault: false,
    description: 'a',
    preemptionPolicy: 'Never',
  }),
  object('node.k8s.io/v1', 'RuntimeClass', {
    handler: 'kata',
    overhead: { podFixed: { memory: '10Mi' } },
    scheduling: { nodeSelector: { kata: 'true' } },
  }),
  object('networking.k8s.io/v1', 'IngressClass', {
    spec: { controller: 'example.com/ingress' },
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
    webhooks: [WEBHOOK],
  }),
  object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', {
    webhooks: [{ ...WEBHOOK, reinvocationPolicy: 'Never' }],
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['deployments'],
          },
        ],
      },
      validations: [{ expression: 'object.spec.replicas <= 5', message: 'too many' }],
    },
  }),
  object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', {
    spec: { policyName: 'one', validationActions: ['Deny'] },
  }),
  object(
    'apiregistration.k8s.io/v1',
    'APIService',
    {
      spec: {
        group: 'metrics.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { name: 'metrics', namespace: 'kube-system', port: 443 },
        insecureSkipTLSVerify: true,
      },
    },
    { name: 'v1.metrics.example.com' },
  ),
  object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Shop', plural: 'shops', singular: 'shop', listKind: 'ShopList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
              },
            },
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          },
        ],
      },
    },
    { name: 'shops.example.com' },
  ),
];

const NETWORK: readonly Manifest[] = [
  inNamespace('networking.k8s.io/v1', 'Ingress', {
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['shop.example'], secretName: 'tls' }],
      defaultBackend: { service: { name: 'shop', port: { name: 'http' } } },
      rules: [
        {
          host: 'shop.example',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'shop', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  }),
  inNamespace('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: {
      podSelector: SELECTOR,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            { podSelector: SELECTOR, namespaceSelector: { matchLabels: { team: 'a' } } },
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
          ],
          ports: [{ port: 80, endPort: 90, protocol: 'TCP' }, { port: 'http' }],
        },
      ],
      egress: [{ to: [{ namespaceSelector: {} }] }],
    },
  }),
  inNamespace('coordination.k8s.io/v1', 'Lease', {
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      renewTime: '2026-01-01T00:00:00.000000Z',
    },
  }),
  inNamespace('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.5'], conditions: { ready: true }, hostname: 'a' }],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  }),
];

/** Objects that an API server accepts: of each kind of Kubernetes that has a shape, with many of its fields. */
export const VALID_OBJECTS: readonly Manifest[] = [
  ...CORE,
  ...ACCESS,
  ...WORKLOADS,
  ...CLUSTER_WIDE,
  ...NETWORK,
];
