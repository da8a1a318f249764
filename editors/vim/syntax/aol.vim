" Array-OL specifications.
if exists("b:current_syntax")
  finish
endif

syntax keyword aolDefinition import const tiler elementary task
syntax keyword aolKeyword extern for where loop in repeat of at delay else origin paving fitting wrap if
syntax keyword aolOperator and not or
syntax keyword aolBoolean true false
syntax keyword aolFunction abs min max round sat real imag conj sqrt exp log floor ceil sin cos tan
syntax match aolNumber "\<[0-9]\+\(\.[0-9]\+\)\?\([eE][+-]\?[0-9]\+\)\?\>"
syntax match aolType "\<\(bool\|[iu][0-9]\+\(\.[0-9]\+\)\?\|f32\|f64\|c64\|c128\)\>"
syntax region aolString start=+"+ end=+"+ oneline
syntax match aolComment "#.*$" contains=@Spell

highlight default link aolDefinition Statement
highlight default link aolKeyword Keyword
highlight default link aolOperator Operator
highlight default link aolBoolean Boolean
highlight default link aolFunction Function
highlight default link aolNumber Number
highlight default link aolType Type
highlight default link aolString String
highlight default link aolComment Comment

let b:current_syntax = "aol"
