import { accessMatrix, AccessMatrix } from '../../../src/report/access/access-matrix';
import { accessHtml, accessMarkdown, accessText } from '../../../src/report/access/access-text';
import { shown } from '../../support/shown';
import { HARVESTER, IMPORT, RANCHER, project, prtb, role, tenant } from '../../support/tenancy';

const operator = role('vm-operator', {
  displayName: 'VM Operator',
  rules: [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['virtualmachines/start'],
      verbs: ['update'],
    },
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachinebackups'], verbs: ['create'] },
  ],
});

function matrix(fields: object = {}, displayName = 'Payments'): AccessMatrix {
  const rancher = [
    IMPORT,
    project('payments', { displayName }),
    operator,
    prtb({ roleTemplateName: 'vm-operator', ...fields }),
  ];
  return accessMatrix([
    ...rancher.map((manifest) => ({ manifest, target: RANCHER })),
    { manifest: tenant('payments-vms'), target: HARVESTER },
  ]);
}

const EMPTY: AccessMatrix = { schemaVersion: '1', entries: [], notes: ['role x is not known'] };

describe('as text', () => {
  test('it is a paragraph for each place', () => {
    expect(shown(accessText(matrix()))).toBe(
      [
        'ana  user  okta_user://ana',
        '  project Payments on dc1, namespace payments-vms: VM Operator (vm-operator)',
        '    may   start, stop, restart of virtual machines',
        '    read  virtual machines, namespaces',
        '    some  backups and snapshots (create)',
      ].join('\n'),
    );
  });

  test('marks what is not confirmed, and reports when there is nothing', () => {
    expect(shown(accessText(matrix({ roleTemplateName: 'read-only' })))).toMatch(
      /virtual machines\*.*\n(.*\n)*\* not confirmed: it comes from a role/,
    );
    expect(shown(accessText(EMPTY))).toBe(
      'no permissions: there are no bindings\nnote: role x is not known',
    );
  });
});

describe('as Markdown', () => {
  test('it is an overview and a table for each place', () => {
    const page = accessMarkdown(matrix());
    expect(page).toContain(
      '| ana (`okta_user://ana`) | project Payments on dc1 | VM Operator (vm-operator) |',
    );
    expect(page).toContain('| start, stop, restart of virtual machines | yes | vm-operator |');
    expect(page).toContain('| backups and snapshots | create | vm-operator |');
    expect(page.endsWith('\n')).toBe(true);
  });

  test('escapes markup in names', () => {
    const page = accessMarkdown(
      matrix({ userPrincipalName: 'okta_user://a|b`c' }, 'Pay|<b>ments</b>'),
    );
    expect(page).toContain('project Pay\\|\\<b\\>ments\\</b\\> on dc1');
    expect(page).toContain('`` okta_user://a\\|b`c ``');
  });

  test('reports when there is nothing', () => {
    expect(accessMarkdown(EMPTY)).toBe(
      '# Who may do what where\n\nNo permissions: there are no bindings.\n\n## Notes\n\n- role x is not known\n',
    );
  });
});

describe('as HTML', () => {
  test('it is one page that loads nothing', () => {
    const page = accessHtml(matrix());
    expect(page).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
    expect(page).not.toMatch(/(src|href)=|url\(|@import/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('<option value="okta_user://ana">ana (okta_user://ana)</option>');
    expect(page).toContain(
      'data-permission="vm-power" title="start, stop, restart of virtual machines: update, through vm-operator">yes</td>',
    );
  });

  test('writes only columns with a permission', () => {
    const page = accessHtml(matrix());
    expect(page).toContain('<th scope="col" class="permission" data-permission="vms">');
    expect(page).not.toContain('data-permission="secrets"');
  });

  test('marks a permission that is for some objects only', () => {
    const own = role('one', {
      displayName: 'One',
      rules: [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['b', 'a'], verbs: ['get'] },
      ],
    });
    const objects = [IMPORT, project(), own, prtb({ roleTemplateName: 'one' })].map((manifest) => ({
      manifest,
      target: RANCHER,
    }));
    const page = accessHtml(accessMatrix(objects));
    expect(page).toContain('title="secrets named a or b: get, through one">read (named)</td>');
    expect(page).toContain('A permission (named) is for some objects only, see the list.');
    expect(accessHtml(matrix())).not.toContain('(named)');
  });

  test('names are text', () => {
    const page = accessHtml(
      matrix(
        { userPrincipalName: 'okta_user://"><script>alert(1)</script>' },
        "<img onerror='x'>&",
      ),
    );
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img');
    expect(page).toContain('okta_user://&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('project &lt;img onerror=&#39;x&#39;&gt;&amp; on dc1');
  });

  test('what is not sure has a star and a reason', () => {
    const page = accessHtml(matrix({ roleTemplateName: 'read-only' }));
    expect(page).toContain('read<abbr title="not confirmed">*</abbr>');
    expect(page).toContain('<h2>Not confirmed</h2>');
  });
});

test('every format is the same twice', () => {
  for (const format of [accessText, accessMarkdown, accessHtml, JSON.stringify]) {
    expect(format(matrix())).toEqual(format(matrix()));
  }
});
