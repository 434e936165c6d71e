/** What a part of a program can be, and the scopes of TextMate that say so. The colour of each is `code.css`'s; the numbers only tell them apart. */
const kinds = {
  comment: ['comment', 'punctuation.definition.comment'],
  string: ['string', 'constant.other.symbol', 'punctuation.definition.string'],
  constant: ['constant', 'support.constant', 'variable.language'],
  keyword: ['keyword', 'storage', 'keyword.operator.new'],
  function: ['entity.name.function', 'support.function', 'entity.name.command'],
  name: ['support.type.property-name', 'entity.name.tag', 'entity.other.attribute-name', 'variable.other.property'],
};
const colourOf = (at) => `#00000${at + 1}`;

/** A theme of Shiki whose colours are the numbers of `kinds`. */
export const codeColours = {
  name: 'sluice',
  type: 'light',
  fg: '#000000',
  bg: '#ffffff',
  settings: Object.values(kinds).map((scope, at) => ({ scope, settings: { foreground: colourOf(at) } })),
};

const classes = new Map(Object.keys(kinds).map((kind, at) => [`color:${colourOf(at)}`, `code-${kind}`]));

/** The policy lets no element have a style of its own: a class says what Shiki says by one. */
export const useClasses = {
  pre: ({ properties }) => void delete properties.style,
  span: ({ properties }) => {
    const kind = classes.get(String(properties.style ?? '').toLowerCase());
    delete properties.style;
    if (kind !== undefined) properties.class = kind;
  },
};
