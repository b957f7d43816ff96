interface Languages {
  readonly Library: new (assemblies: readonly object[]) => object;
  readonly translationsOf: (
    program: string,
    library: object,
  ) => readonly { readonly title: string; readonly code: string }[];
}

const { Library } = jest.requireActual<Languages>('../projenrc/languages/library.js');
const { translationsOf } = jest.requireActual<Languages>('../projenrc/languages/translations.js');
const { withTabs } = jest.requireActual<{ withTabs: (text: string) => string }>(
  '../projenrc/site/tabs.js',
);

const text = { primitive: 'string' };
const number = { primitive: 'number' };
const any = { primitive: 'any' };
const of = (name: string): { fqn: string } => ({ fqn: `shop.${name}` });
const listOf = (elementtype: object): object => ({ collection: { kind: 'array', elementtype } });
const mapOf = (elementtype: object): object => ({ collection: { kind: 'map', elementtype } });

const MODULE = 'github.com/shop/shop-go';
const LIBRARY = new Library([
  {
    name: 'shop',
    version: '0.0.0',
    targets: {
      python: { module: 'shop_module' },
      java: { package: 'com.shop' },
      go: { moduleName: MODULE, packageName: 'shop' },
      dotnet: { namespace: 'Shop' },
    },
    types: Object.fromEntries(
      [
        { name: 'App', kind: 'class', methods: [{ name: 'synth' }] },
        {
          name: 'OrderProps',
          kind: 'interface',
          datatype: true,
          properties: [
            { name: 'itemCount', type: number },
            { name: 'from', type: text },
            { name: 'tags', type: listOf(text) },
            { name: 'lines', type: listOf(of('Line')) },
            { name: 'labels', type: mapOf(text) },
            { name: 'values', type: mapOf(any) },
            { name: 'color', type: of('Color') },
            { name: 'size', type: of('Size') },
            { name: 'isOpen', type: { primitive: 'boolean' } },
          ],
        },
        {
          name: 'Line',
          kind: 'interface',
          datatype: true,
          properties: [
            { name: 'name', type: text },
            { name: 'unitPrice', type: number },
          ],
        },
        {
          name: 'Order',
          kind: 'class',
          initializer: {
            parameters: [
              { name: 'scope', type: of('App') },
              { name: 'id', type: text },
              { name: 'props', type: of('OrderProps'), optional: true },
            ],
          },
          properties: [
            { name: 'orderId', type: text },
            { name: 'token', type: text },
          ],
          methods: [{ name: 'addLine', parameters: [{ name: 'line', type: of('Line') }] }],
        },
        { name: 'Color', kind: 'enum', members: [{ name: 'DARK_RED' }] },
        {
          name: 'Size',
          kind: 'class',
          properties: [{ name: 'LARGE', static: true, type: of('Size') }],
          methods: [
            {
              name: 'ofGrams',
              static: true,
              parameters: [
                { name: 'amount', type: number },
                { name: 'options', type: of('Line'), optional: true },
              ],
              returns: { type: of('Size') },
            },
          ],
        },
        { name: 'Discount', namespace: 'sales', kind: 'class', initializer: {} },
      ].map((type) => {
        const fqn = ['shop', ...(type.namespace ? [type.namespace] : []), type.name].join('.');
        return [fqn, { ...type, fqn }];
      }),
    ),
  },
]);

/** The lines of a program in a language, without its imports and its frame. */
function linesIn(title: string, program: string): string[] {
  const { code } = translationsOf(program, LIBRARY).find((each) => each.title === title)!;
  return code.trimEnd().split('\n');
}

function whole(title: string, program: string): string {
  return translationsOf(program, LIBRARY).find((each) => each.title === title)!.code;
}

const START = "import { App, Color, Order, Size } from 'shop';\nconst app = new App();\n";

/** How the frame of a language indents statements. */
const FRAME: { readonly [title: string]: RegExp } = {
  'Python': /^$/gm,
  'Java': /^ {4}(?=\w)/gm,
  'Go': /^\t(?=\w)/gm,
  'C#': /^$/gm,
};

/** The last statement of a program with these lines, in each language. */
function last(statement: string): { [title: string]: string } {
  return Object.fromEntries(
    ['Python', 'Java', 'Go', 'C#'].map((title) => {
      const lines = linesIn(title, `${START}\n${statement}`);
      const start = lines.lastIndexOf('') + 1;
      const end = lines.findIndex((line, index) => index >= start && /^(?: {2})?\}$/.test(line));
      return [
        title,
        lines
          .slice(start, end === -1 ? undefined : end)
          .join('\n')
          .replace(FRAME[title], ''),
      ];
    }),
  );
}

describe('a program in other languages', () => {
  test.each([
    [
      'names of props, and structs at the end of calls',
      "new Order(app, 'a', { itemCount: 3, from: 'b' });",
      {
        'Python': 'Order(app, "a", item_count=3, from_="b")',
        'Java': 'Order.Builder.create(app, "a").itemCount(3).from("b").build();',
        'Go': 'shop.NewOrder(app, jsii.String("a"), &shop.OrderProps{ItemCount: jsii.Number(3), From: jsii.String("b")})',
        'C#': 'new Order(app, "a", new OrderProps { ItemCount = 3, From = "b" });',
      },
    ],
    [
      'arguments that are left out',
      "new Order(app, 'a');",
      {
        'Python': 'Order(app, "a")',
        'Java': 'new Order(app, "a");',
        'Go': 'shop.NewOrder(app, jsii.String("a"), nil)',
        'C#': 'new Order(app, "a");',
      },
    ],
    [
      'lists of texts and of structs',
      "new Order(app, 'a', { tags: ['x'], lines: [{ name: 'n' }] });",
      {
        'Python': 'Order(app, "a", tags=["x"], lines=[Line(name="n")])',
        'Java':
          'Order.Builder.create(app, "a")\n        .tags(List.of("x"))\n        .lines(List.of(Line.builder().name("n").build()))\n        .build();',
        'Go': 'shop.NewOrder(app, jsii.String("a"), &shop.OrderProps{\n\t\tTags:  jsii.Strings("x"),\n\t\tLines: &[]*shop.Line{{Name: jsii.String("n")}},\n\t})',
        'C#': 'new Order(app, "a", new OrderProps {\n    Tags = new string[] { "x" },\n    Lines = new Line[] { new Line { Name = "n" } }\n});',
      },
    ],
    [
      'maps of texts, and of anything',
      "new Order(app, 'a', { labels: { b: 'c' }, values: { on: true, deep: { n: 1 } } });",
      {
        'Python': 'Order(app, "a", labels={"b": "c"}, values={"on": True, "deep": {"n": 1}})',
        'Java':
          'Order.Builder.create(app, "a")\n        .labels(Map.of("b", "c"))\n        .values(Map.of("on", true, "deep", Map.of("n", 1)))\n        .build();',
        'Go': 'shop.NewOrder(app, jsii.String("a"), &shop.OrderProps{\n\t\tLabels: &map[string]*string{"b": jsii.String("c")},\n\t\tValues: &map[string]interface{}{"on": true, "deep": map[string]interface{}{"n": 1}},\n\t})',
        'C#': 'new Order(app, "a", new OrderProps {\n    Labels = new Dictionary<string, string> { ["b"] = "c" },\n    Values = new Dictionary<string, object> {\n        ["on"] = true,\n        ["deep"] = new Dictionary<string, object> { ["n"] = 1 }\n    }\n});',
      },
    ],
    [
      'members of enums, constants of classes, and static methods',
      "new Order(app, 'a', { color: Color.DARK_RED, size: Size.LARGE });\nSize.ofGrams(5);",
      {
        'Python': 'Order(app, "a", color=Color.DARK_RED, size=Size.LARGE)\nSize.of_grams(5)',
        'Java':
          'Order.Builder.create(app, "a").color(Color.DARK_RED).size(Size.LARGE).build();\nSize.ofGrams(5);',
        'Go': 'shop.NewOrder(app, jsii.String("a"), &shop.OrderProps{\n\t\tColor: shop.Color_DARK_RED,\n\t\tSize:  shop.Size_LARGE(),\n\t})\nshop.Size_OfGrams(jsii.Number(5), nil)',
        'C#': 'new Order(app, "a", new OrderProps { Color = Color.DARK_RED, Size = Size.LARGE });\nSize.OfGrams(5);',
      },
    ],
    [
      'attributes, and values in texts by their tokens',
      "const order = new Order(app, 'a');\nnew Order(app, order.orderId, { from: `x${order}y` });",
      {
        'Python': 'order = Order(app, "a")\nOrder(app, order.order_id, from_=f"x{order.token}y")',
        'Java':
          'Order order = new Order(app, "a");\nOrder.Builder.create(app, order.getOrderId()).from("x" + order.getToken() + "y").build();',
        'Go': 'order := shop.NewOrder(app, jsii.String("a"), nil)\nshop.NewOrder(app, order.OrderId(), &shop.OrderProps{From: jsii.String("x" + *order.Token() + "y")})',
        'C#': 'var order = new Order(app, "a");\nnew Order(app, order.OrderId, new OrderProps { From = $"x{order.Token}y" });',
      },
    ],
    [
      'no variable that nothing uses, in Go',
      "const order = new Order(app, 'a');",
      {
        'Python': 'order = Order(app, "a")',
        'Java': 'Order order = new Order(app, "a");',
        'Go': 'shop.NewOrder(app, jsii.String("a"), nil)',
        'C#': 'var order = new Order(app, "a");',
      },
    ],
  ])('has %s', (_, statement, expected) => {
    expect(last(statement)).toEqual(expected);
  });

  test('has the imports and the frame of its language', () => {
    const program =
      "import { readFileSync } from 'fs';\nimport { App, Order } from 'shop';\nimport { Discount } from 'shop/sales';\n\nconst app = new App();\nnew Discount();\nnew Order(app, readFileSync('the-id.txt', 'utf8'));\n\napp.synth();\n";
    expect(whole('Python', program)).toBe(
      'from pathlib import Path\nfrom shop_module import App, Order\nfrom shop_module.sales import Discount\n\napp = App()\nDiscount()\nOrder(app, Path("the-id.txt").read_text())\n\napp.synth()\n',
    );
    expect(whole('Java', program)).toBe(
      'import com.shop.App;\nimport com.shop.Order;\nimport com.shop.sales.Discount;\nimport java.io.IOException;\nimport java.nio.file.Files;\nimport java.nio.file.Path;\n\npublic class Main {\n  public static void main(String[] args) throws IOException {\n    App app = new App();\n    new Discount();\n    new Order(app, Files.readString(Path.of("the-id.txt")));\n\n    app.synth();\n  }\n}\n',
    );
    expect(whole('Go', program)).toBe(
      `package main\n\nimport (\n\t"os"\n\n\t"github.com/aws/jsii-runtime-go"\n\t"${MODULE}/shop"\n\t"${MODULE}/shop/sales"\n)\n\nfunc main() {\n\tapp := shop.NewApp()\n\tsales.NewDiscount()\n\ttheIdTxt, err := os.ReadFile("the-id.txt")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tshop.NewOrder(app, jsii.String(string(theIdTxt)), nil)\n\n\tapp.Synth()\n}\n`,
    );
    expect(whole('C#', program)).toBe(
      'using Shop;\nusing Shop.Sales;\nusing System.IO;\n\nvar app = new App();\nnew Discount();\nnew Order(app, File.ReadAllText("the-id.txt"));\n\napp.Synth();\n',
    );
  });

  test.each([
    ["const [a] = ['x'];", 'line 3: `[a]` takes a value apart'],
    ['for (const a of []) {}', 'line 3: `for (const a of []) {}` is not a constant or a call'],
    ["// why\nnew Order(app, 'a');", "line 4: `new Order(app, 'a');` has a comment"],
    ["new Order(app, 'a' + 'b');", "line 3: `'a' + 'b'` has a form that examples do not use"],
    ['new Other();', 'line 3: `Other` is not a type of the library'],
    ['app.other();', 'line 3: `app.other()` calls a method that the type does not have'],
    ['app.synth(app.other);', 'line 3: `app.other` reads an attribute that the type does not have'],
  ])('is refused with a form that not every language has: %s', (statement, message) => {
    expect(() => translationsOf(`${START}${statement}`, LIBRARY)).toThrow(message);
  });
});

test('has tabs on the site, and folded translations in the repository', () => {
  const program = '```ts\na();\n```';
  const folded = (title: string, fence: string): string =>
    `<details>\n<summary>${title}</summary>\n\n\`\`\`${fence}\nb()\n\`\`\`\n\n</details>`;
  const other = '<details>\n<summary>Inherited: a</summary>\n\ntext\n\n</details>';
  expect(
    withTabs(
      [program, program, folded('Python', 'python'), folded('C#', 'csharp'), other].join('\n\n'),
    ),
  ).toBe(
    [
      program,
      '::: code-group',
      '```ts [TypeScript]\na();\n```',
      '```python [Python]\nb()\n```',
      '```csharp [C#]\nb()\n```',
      ':::',
      other,
    ].join('\n\n'),
  );
});
